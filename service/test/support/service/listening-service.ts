import { writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import { ConfigError, loadConfig } from '../../../src/config/config.ts';
import { openProgram, prepareStart, wordsOf, type Parts } from '../../../src/program/program.ts';
import { share, temporaryFolder, type AtEnd } from '../at-end.ts';
import { keepStore, serviceFolder } from '../canaries/run-folder.ts';
import { findFreePort } from '../programs/service-process.ts';

type Settings = Readonly<Record<string, string>>;

export interface ListeningOptions {
  /** Settings in addition to PORT and DATA_DIR. Rate limits are off by default. */
  readonly settings?: Settings;
  readonly parts?: Partial<Parts>;
  readonly port?: number;
  /** The folder of an earlier one, for a second start on the same data. */
  readonly dataDir?: string;
}

export interface ListeningService {
  readonly origin: string;
  readonly port: number;
  readonly dataDir: string;
  /** All that it was opened with, for a command beside it. */
  readonly settings: Settings;
  readonly server: Server;
  /** Its whole log so far. */
  log(): string;
  /** As SIGHUP does. */
  reload(): Promise<void>;
  /** The second call waits for the first. */
  stop(): Promise<void>;
}

/** The data folders that were made here. A later service on one of them is searched too. */
const OWN_FOLDERS = new Set<string>();

function ownFolder(atEnd: AtEnd): string {
  const folder = temporaryFolder('listening', atEnd);
  OWN_FOLDERS.add(folder);
  return folder;
}

/**
 * The service in this process, on its own socket and with the real clock: for tests that need a
 * service and not its process, whose start takes several times the processor time. Its log and data
 * are searched for secrets when the run ends.
 */
export async function openListening(
  { settings = {}, parts, ...options }: ListeningOptions = {},
  atEnd: AtEnd = onTestFinished,
): Promise<ListeningService> {
  const port = options.port ?? (await findFreePort());
  const folder = serviceFolder('in-process', settings['PROVIDER'] === 'live');
  const dataDir = options.dataDir ?? settings['DATA_DIR'] ?? ownFolder(atEnd);
  const all = { RATE_LIMITS: 'off', ...settings, PORT: String(port), DATA_DIR: dataDir };
  const lines: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line) => void lines.push(line) });
  const keepLog = () => writeFileSync(join(folder, 'all.log'), lines.join(''));
  const opening = openProgram(loadConfig([], all).config, { logger, ...parts });
  const program = await opening.finally(keepLog);
  let stopping: Promise<void> | null = null;
  const keep = () => {
    keepLog();
    if (OWN_FOLDERS.has(dataDir)) keepStore(folder, dataDir);
  };
  const stop = () => (stopping ??= program.close().then(keep));
  atEnd(stop);
  await program.listen();
  const { app, reload } = program;
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    port,
    dataDir,
    settings: all,
    server: app.server,
    log: () => lines.join(''),
    reload,
    stop,
  };
}

/**
 * A start that has to be refused: what the program says, and its exit code, as main.ts makes them of
 * what is thrown here.
 */
export async function refusedStart(settings: Settings): Promise<{ code: 1 | 2; said: string }> {
  const refused = await startAsProgram(settings).then(
    () => null,
    (error: unknown) => error,
  );
  expect(refused, 'it has started').toBeInstanceOf(Error);
  if (refused instanceof ConfigError) return { code: 2, said: refused.message };
  return { code: 1, said: wordsOf(refused) };
}

async function startAsProgram(settings: Settings): Promise<void> {
  const port = await findFreePort();
  await prepareStart(loadConfig([], { PORT: String(port), ...settings }), []);
  await openListening({ settings, port });
}

/** The same where the settings are right. */
export async function refusalOf(settings: Settings): Promise<string> {
  const { code, said } = await refusedStart(settings);
  expect(code, said).toBe(1);
  return said;
}

/** One for all tests of a block. */
export function shareListeningService(settings: Settings = {}): () => ListeningService {
  return share((atEnd) => openListening({ settings }, atEnd));
}
