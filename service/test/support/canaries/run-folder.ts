import {
  appendFileSync,
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

/**
 * What one run of the tests leaves to be searched at its end (global-setup.ts):
 *
 *   canaries/       the secrets and identity values that the tests used, a file for each worker
 *   services/NAME/  what a service said (*.log) and its database (data/), a folder for each service
 */
const SETTING = 'TEST_RUN_FOLDER';

/** In the folder of a service that is a process of its own, as long as that runs. */
export const PID_FILE = 'pid';
/** In the folder of a service in live mode: its database names nobody. */
export const LIVE_FILE = 'live';

/** What must turn up nowhere, by the name under which a leak of it is reported. */
export type CanaryKind =
  | 'attempt token'
  | 'API token'
  | 'browser cookie'
  | 'client key'
  | 'completion code'
  | 'id token'
  | 'idempotency key'
  | 'national id'
  | 'person'
  | 'provider key'
  | 'provider state';

/** The workers of the run inherit the setting; a program of its own makes a folder for itself. */
export function openRunFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-run-'));
  mkdirSync(join(folder, 'canaries'));
  mkdirSync(join(folder, 'services'));
  process.env[SETTING] = folder;
  return folder;
}

function runFolder(): string {
  return process.env[SETTING] ?? openRunFolder();
}

export function recordCanaries(kind: CanaryKind, texts: readonly string[]): void {
  if (texts.length === 0) return;
  const file = join(runFolder(), 'canaries', `${process.pid}-${threadId}.txt`);
  appendFileSync(file, texts.map((text) => `${kind}\t${text}\n`).join(''));
}

/** A folder whose logs and database are searched when the run ends. */
export function serviceFolder(name: string, isLive = false): string {
  const folder = mkdtempSync(join(runFolder(), 'services', `${name}-`));
  if (isLive) writeFileSync(join(folder, LIVE_FILE), '');
  return folder;
}

/** For a service in this process: what it has said so far, and its database as it is now. */
export function keepService(logLines: readonly string[], dataDir: string, isLive = false): void {
  const folder = serviceFolder('in-process', isLive);
  writeFileSync(join(folder, 'all.log'), logLines.join(''));
  mkdirSync(join(folder, 'data'));
  for (const file of globSync('miftah.db*', { cwd: dataDir })) {
    copyFileSync(join(dataDir, file), join(folder, 'data', file));
  }
}
