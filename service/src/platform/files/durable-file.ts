import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import { readRegularFile, UnfitFileError } from '@miftah/schema/regular-file';

const PRIVATE_FILE = 0o600;
/** They have a few lines. */
const MOST_BYTES = 1024 * 1024;

/**
 * The text of the file; null when it does not exist.
 * @throws Error when it is there and can't be read
 */
export function readIfThere(path: string): string | null {
  try {
    return readRegularFile(path, MOST_BYTES);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    const reason = error instanceof UnfitFileError ? `: ${error.message}` : '';
    throw new Error(`${path} can't be read${reason}`, { cause: error });
  }
}

/**
 * Replaces the file completely or not at all, even if the power fails. Only this user may read it.
 * @throws Error of the file system
 */
export function replaceDurably(path: string, text: string): void {
  renameSync(writeDraft(path, text), path);
  syncFolder(dirname(path));
}

/**
 * The same up to the replacement, which is left out: shows whether it can be done.
 * @throws Error of the file system
 */
export function tryReplacing(path: string, text: string): void {
  rmSync(writeDraft(path, text));
}

function writeDraft(path: string, text: string): string {
  const draft = `${path}.part`;
  const file = openSync(draft, 'w', PRIVATE_FILE);
  try {
    writeWhole(file, draft, text);
  } finally {
    closeSync(file);
  }
  return draft;
}

/** @param path what the error names, which the system does not do for an open file */
export function writeWhole(file: number, path: string, text: string): void {
  try {
    // A nearly full disk takes a part of one write, without an error.
    writeFileSync(file, Buffer.from(text));
    fsyncSync(file);
  } catch (error) {
    throw error instanceof Error ? Object.assign(error, { path }) : error;
  }
}

export function syncFolder(path: string): void {
  // Windows can't flush a directory, and does not need it.
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
