import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { holdLock } from '../../../../scripts/lock.mjs';
import { folderInMemory } from '../in-memory.ts';
import type { Owner } from './owner.ts';

const MADE_DATA = 'TEST_POSTGRES_DATA';
const PASSWORD_BYTES = 18;

/**
 * What initdb makes, once for all servers of a run: a copy takes a tenth of its processor time. They
 * have the same password and system identifier, so this is not for a test that compares two servers.
 */
export interface MadeData {
  /** Empty until the first server is started. */
  readonly folder: string;
  readonly password: string;
}

/** Called once in a run. @returns what removes it */
export function offerMadeData(): () => void {
  const folder = folderInMemory('postgres-data');
  process.env[MADE_DATA] = JSON.stringify({ folder, password: newPassword() } satisfies MadeData);
  return () => rmSync(folder, { recursive: true, force: true });
}

/** Of this run; null in a program that is not started by vitest. */
export function madeData(): MadeData | null {
  const told = process.env[MADE_DATA];
  return told === undefined ? null : (JSON.parse(told) as MadeData);
}

export function newPassword(): string {
  return randomBytes(PASSWORD_BYTES).toString('base64url');
}

/** @param make runs initdb in `data`, which is an empty folder */
export async function copyMadeData(
  folder: string,
  data: string,
  owner: Owner | undefined,
  make: () => void,
): Promise<void> {
  const made = join(folder, 'data');
  const unlock = await holdLock(join(folder, 'lock'));
  try {
    if (!existsSync(made)) {
      make();
      keep(data, made);
      return;
    }
  } finally {
    unlock();
  }
  cpSync(made, data, { recursive: true });
  giveTo(owner, data);
}

function keep(data: string, made: string): void {
  const written = mkdtempSync(`${made}-`);
  cpSync(data, written, { recursive: true });
  try {
    renameSync(written, made);
  } catch (error) {
    // On a very busy machine another one may have taken the lock.
    if (!existsSync(made)) throw error;
  }
}

/** The modes are those of the original: PostgreSQL refuses to start on what others may read. */
function giveTo(owner: Owner | undefined, data: string): void {
  chmodSync(data, 0o700);
  if (owner === undefined) return;
  for (const path of readdirSync(data, { recursive: true, encoding: 'utf8' })) {
    chownSync(join(data, path), owner.uid, owner.gid);
  }
}
