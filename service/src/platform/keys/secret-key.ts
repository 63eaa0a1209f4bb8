import { closeSync, existsSync, linkSync, openSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ADVICE } from '@miftah/schema/data-folder';
import type { Random } from '../runtime.port.ts';
import { makeDataFolder } from '../files/data-folder.ts';
import { syncFolder, writeWhole } from '../files/durable-file.ts';

const KEY_BYTES = 32;
export const KEY_FILE = 'secret.key';
const DRAFT_NAME_BYTES = 8;
const PRIVATE_FILE = 0o600;

/**
 * The server's secret, read from the data folder, or created there at the first start. It is kept
 * across restarts, so that a redemption can also be repeated after one.
 * @throws Error when the file exists and does not contain 32 bytes in hex
 */
export function loadSecretKey(dataDir: string, random: Random): Uint8Array {
  makeDataFolder(dataDir);
  const path = join(dataDir, KEY_FILE);
  if (!existsSync(path)) makeKey(path, random);
  const text = readFileSync(path, 'utf8').trim();
  if (!/^[0-9a-f]{64}$/i.test(text)) {
    throw new Error(
      `${path} does not hold 32 bytes in hex: restore it, or remove it to make a new one`,
    );
  }
  return Buffer.from(text, 'hex');
}

/** Whether a service without a configured key has been started with this folder. */
export function hasSecretKey(dataDir: string): boolean {
  return existsSync(join(dataDir, KEY_FILE));
}

/**
 * Writes the whole key to another file first, so that a process that dies leaves no partial key.
 */
function makeKey(path: string, random: Random): void {
  const draft = `${path}.${hexOf(random, DRAFT_NAME_BYTES)}`;
  const file = openDraft(draft, path);
  try {
    writeDurably(file, path, `${hexOf(random, KEY_BYTES)}\n`);
    nameOnce(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
  syncFolder(dirname(path));
}

function openDraft(draft: string, path: string): number {
  try {
    return openSync(draft, 'wx', PRIVATE_FILE);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    const what = `${path} can't be made: its folder takes no files from this user${code}`;
    throw new Error(`${what}. ${ADVICE}`, { cause: error });
  }
}

function hexOf(random: Random, length: number): string {
  return Buffer.from(random.bytes(length)).toString('hex');
}

function writeDurably(file: number, path: string, text: string): void {
  try {
    writeWhole(file, path, text);
  } finally {
    closeSync(file);
  }
}

/** Unlike a rename, a link does not replace a key that another process has just made. */
function nameOnce(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
