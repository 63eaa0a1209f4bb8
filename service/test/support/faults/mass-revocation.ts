import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { COMPILE_CACHE } from '../../../../scripts/compile-cache.mjs';
import { ask } from '../postgres/databases.ts';
import { ApiClient } from '../programs/api-client.ts';
import { programFile } from '../programs/program-files.ts';
import { startService, type ServiceProcess } from '../programs/service-process.ts';
import { LoginsBeside, logIn, type Times } from './logins-beside.ts';
import { copiesOfToken } from './token-copies.ts';

const SECRET_KEY = 'ab'.repeat(32);
const DATABASE = 'miftah.db';
/** The service and the command may be writing. */
const BUSY_MS = 60_000;
const MEMORY_POLL_MS = 50;
const KB_IN_MB = 1024;

export interface MassRevocation {
  readonly tokens: number;
  readonly commandMs: number;
  /** The largest resident memory of the command. */
  readonly commandMb: number;
  /** Of requests while the command ran. */
  readonly statuses: Times;
  readonly writes: Times;
  /** Answers of 5xx, a command that failed, and tokens that were left. */
  readonly faults: readonly string[];
}

/**
 * `miftah revoke --all` with that many tokens, while an application asks for the state of an
 * attempt and people sign in.
 * @param url of the database; null for a file
 */
export async function revokeMany(url: string | null, tokens: number): Promise<MassRevocation> {
  const database: Record<string, string> = url === null ? {} : { DATABASE_URL: url, SECRET_KEY };
  const settings = { ...database, LOG_LEVEL: 'silent' };
  await using service = await startService({ settings });
  const book = bookOf(url, service);
  await withClient(service, logIn);
  await book(copiesOfToken(tokens, url === null ? 'sqlite' : 'postgres'));
  return await withClient(service, async (client) => {
    const beside = new LoginsBeside(client);
    const before = Date.now();
    const command = await revokeAll({ ...settings, DATA_DIR: service.dataDir });
    const { statuses, writes, faults } = await beside.end();
    const left = await book(activeSince(before));
    const { commandMs, commandMb } = command;
    const found = [
      ...faults,
      ...(left === 0 ? [] : [`${left} tokens are still active`]),
      ...(command.code === 0 ? [] : [`the command ended with ${command.code}: ${command.err}`]),
    ];
    return { tokens, commandMs, commandMb, statuses, writes, faults: found };
  });
}

/** With connections of its own: the service ends those that are kept during a long pause. */
async function withClient<Result>(
  { origin }: ServiceProcess,
  work: (client: ApiClient) => Promise<Result>,
): Promise<Result> {
  const client = new ApiClient(origin);
  try {
    return await work(client);
  } finally {
    client.close();
  }
}

/** Counts tokens that were there when the command began. */
function activeSince(moment: number): string {
  return `SELECT count(*) AS count FROM api_tokens
    WHERE revoked_at IS NULL AND created_at < ${moment} AND expires_at > ${moment}`;
}

type Book = (sql: string) => Promise<number>;

function bookOf(url: string | null, { dataDir }: ServiceProcess): Book {
  if (url !== null) {
    return async (sql) => Number((await ask<{ count: string }>(url, sql))[0]?.count);
  }
  return async (sql) => {
    using database = new DatabaseSync(join(dataDir, DATABASE), { timeout: BUSY_MS });
    return Number(database.prepare(sql).get()?.['count']);
  };
}

async function revokeAll(settings: Readonly<Record<string, string>>) {
  const began = performance.now();
  const env = { NODE_COMPILE_CACHE: COMPILE_CACHE, ...settings };
  const child = spawn(process.execPath, [programFile('miftah'), 'revoke', '--all'], { env });
  child.stdout.resume();
  const err = text(child.stderr);
  let commandMb = 0;
  const timer = setInterval(() => {
    commandMb = Math.max(commandMb, peakOf(child.pid ?? 0));
  }, MEMORY_POLL_MS);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearInterval(timer);
  return { code, err: await err, commandMs: Math.round(performance.now() - began), commandMb };
}

/** The largest resident memory of a process until now, in MB; 0 when it has ended. */
function peakOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / KB_IN_MB);
  } catch {
    return 0;
  }
}
