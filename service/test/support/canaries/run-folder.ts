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

/** A file in the folder of a service in its own process, while that process runs. */
export const PID_FILE = 'pid';
/** A file in the folder of a service in live mode, whose database must identify nobody. */
export const LIVE_FILE = 'live';

/** The kinds of values that must not leak, as they are named in reports. */
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
  | 'provider state'
  | 'session code';

/** The workers of a run inherit the setting; a separate program creates its own folder. */
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

/** A temporary folder that is removed when the run ends: a worker is not told of its end. */
export function folderOfRun(name: string): string {
  return mkdtempSync(join(runFolder(), `${name}-`));
}

/** Creates a folder whose logs and database are searched when the run ends. */
export function serviceFolder(name: string, isLive = false): string {
  const folder = mkdtempSync(join(runFolder(), 'services', `${name}-`));
  if (isLive) writeFileSync(join(folder, LIVE_FILE), '');
  return folder;
}

/** Stores the log and the current database of a service in this process, for the search. */
export function keepService(logLines: readonly string[], dataDir: string, isLive = false): void {
  const folder = serviceFolder('in-process', isLive);
  writeFileSync(join(folder, 'all.log'), logLines.join(''));
  keepStore(folder, dataDir);
}

/** @param folder of the service */
export function keepStore(folder: string, dataDir: string): void {
  mkdirSync(join(folder, 'data'), { recursive: true });
  for (const file of globSync('miftah.db*', { cwd: dataDir })) {
    copyFileSync(join(dataDir, file), join(folder, 'data', file));
  }
}
