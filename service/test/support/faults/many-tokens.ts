import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { COMPILE_CACHE } from '../../../../scripts/compile-cache.mjs';
import { ask } from '../postgres/databases.ts';
import { ApiClient } from '../programs/api-client.ts';
import { programFile } from '../../../../scripts/program-files.ts';
import { startService, type ServiceProcess } from '../programs/service-process.ts';
import { logIn } from './logins-beside.ts';
import { copiesOfToken } from './token-copies.ts';

const SECRET_KEY = 'ab'.repeat(32);
const DATABASE = 'miftah.db';
/** The service and the command may be writing. */
const BUSY_MS = 60_000;

/** Runs a statement past the service. @returns the column `count` of its first row */
export type Book = (sql: string) => Promise<number>;

export interface ManyTokens {
  readonly service: ServiceProcess;
  readonly book: Book;
  /** Of a command on the same store. */
  readonly settings: Readonly<Record<string, string>>;
}

/**
 * A ready service whose store has that many active tokens. The caller ends the service.
 * @param url of the database; null for a file
 */
export async function withManyTokens(url: string | null, tokens: number): Promise<ManyTokens> {
  const database: Record<string, string> = url === null ? {} : { DATABASE_URL: url, SECRET_KEY };
  const settings = { ...database, LOG_LEVEL: 'silent' };
  const service = await startService({ settings });
  const book = bookOf(url, service);
  const client = new ApiClient(service.origin);
  await logIn(client).finally(() => client.close());
  await book(copiesOfToken(tokens, url === null ? 'sqlite' : 'postgres'));
  return { service, book, settings: { ...settings, DATA_DIR: service.dataDir } };
}

function bookOf(url: string | null, { dataDir }: ServiceProcess): Book {
  if (url !== null) {
    return async (sql) => Number((await ask<{ count: string }>(url, sql))[0]?.count);
  }
  return async (sql) => {
    using database = new DatabaseSync(join(dataDir, DATABASE), { timeout: BUSY_MS });
    return Number(database.prepare(sql).get()?.['count']);
  };
}

/** Counts tokens that were there at that moment, in ms, and are active. */
export function activeSince(moment: number): string {
  return `SELECT count(*) AS count FROM api_tokens
    WHERE revoked_at IS NULL AND created_at < ${moment} AND expires_at > ${moment}`;
}

export interface RevokeCommand {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly err: string }>;
}

/** `miftah revoke --all` as a process of its own. `code` is null when a signal has ended it. */
export function spawnRevokeAll(settings: Readonly<Record<string, string>>): RevokeCommand {
  const env = { NODE_COMPILE_CACHE: COMPILE_CACHE, ...settings };
  const child = spawn(process.execPath, [programFile('miftah'), 'revoke', '--all'], { env });
  child.stdout.resume();
  const err = text(child.stderr);
  const exit = once(child, 'exit') as Promise<[number | null]>;
  return { child, ended: exit.then(async ([code]) => ({ code, err: await err })) };
}
