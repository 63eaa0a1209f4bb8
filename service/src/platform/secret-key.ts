import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../ports/runtime.ts';

const KEY_BYTES = 32;
const KEY_FILE = 'secret.key';
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/**
 * The server's secret from the data folder, made there at the first start. It outlives restarts, so
 * that a redemption can be repeated across one.
 * @throws Error when the file is there and does not hold 32 bytes in hex
 */
export function loadSecretKey(dataDir: string, random: Random): Uint8Array {
  mkdirSync(dataDir, { recursive: true, mode: PRIVATE_FOLDER });
  const path = join(dataDir, KEY_FILE);
  createOnce(path, Buffer.from(random.bytes(KEY_BYTES)).toString('hex'));
  const text = readFileSync(path, 'utf8').trim();
  if (!/^[0-9a-f]{64}$/i.test(text)) {
    throw new Error(
      `${path} does not hold 32 bytes in hex: restore it, or remove it to make a new one`,
    );
  }
  return Buffer.from(text, 'hex');
}

function createOnce(path: string, text: string): void {
  let file: number;
  try {
    file = openSync(path, 'wx', PRIVATE_FILE);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return;
    throw error;
  }
  writeSync(file, `${text}\n`);
  fsyncSync(file);
  closeSync(file);
}
