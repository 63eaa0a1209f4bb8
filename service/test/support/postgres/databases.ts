import { randomBytes } from 'node:crypto';
import { DatabaseError, escapeIdentifier, escapeLiteral, type QueryResultRow } from 'pg';
import { onTestFinished } from 'vitest';
import { migratePostgres } from '../../../src/store/postgres/migrations/migrate.ts';
import type { AtEnd } from '../at-end.ts';
import { withClient, withConnection } from './connection.ts';
import { sharedServer } from './door.ts';

const RANDOM_BYTES = 6;
/** Any two numbers: the lock of whoever makes the template. */
const TEMPLATE_LOCK = 'SELECT pg_advisory_lock(1835624052, 100)';
const FEATURE_NOT_SUPPORTED = '0A000';

let template: Promise<string> | null = null;

/**
 * A database of its own with the current schema, on the server that all tests share. It is a copy
 * of a template, and dropped at the end.
 * @returns its URL
 */
export async function migratedDatabase(atEnd: AtEnd = onTestFinished): Promise<string> {
  template ??= provideTemplate();
  const url = await createDatabase(`TEMPLATE ${escapeIdentifier(await template)}`, atEnd);
  // As if it had been migrated here. Otherwise it is taken for the copy of a database in use.
  await ask(url, 'UPDATE user_id_origin SET origin = current_user_id_origin()');
  return url;
}

/**
 * The same without a schema.
 * @returns its URL
 */
export function emptyDatabase(
  atEnd: AtEnd = onTestFinished,
  { encoding = 'UTF8' }: { readonly encoding?: string } = {},
): Promise<string> {
  return createDatabase(`TEMPLATE template0 ENCODING ${escapeLiteral(encoding)} LOCALE 'C'`, atEnd);
}

/**
 * A copy of a database that nobody uses, dropped at the end.
 * @returns its URL
 */
export function copyOf(url: string, atEnd: AtEnd = onTestFinished): Promise<string> {
  return createDatabase(`TEMPLATE ${escapeIdentifier(new URL(url).pathname.slice(1))}`, atEnd);
}

async function createDatabase(form: string, atEnd: AtEnd): Promise<string> {
  const { url, run } = await sharedServer();
  const name = `${run}_${randomBytes(RANDOM_BYTES).toString('hex')}`;
  await ask(url, `CREATE DATABASE ${escapeIdentifier(name)} ${form}`);
  atEnd(async () => {
    await ask(url, `DROP DATABASE ${escapeIdentifier(name)} WITH (FORCE)`);
  });
  return urlOf(url, name);
}

export function urlOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

/** Made once for a run, by the worker that is first. It ends with the run. */
async function provideTemplate(): Promise<string> {
  const { url, run } = await sharedServer();
  const name = `${run}_template`;
  await withConnection(url, async (connection) => {
    const query = (sql: string) => connection.query({ name: null, sql, values: [] });
    await query(TEMPLATE_LOCK);
    const { rows } = await query('SELECT datname FROM pg_database');
    if (rows.some(({ datname }) => datname === name)) return;
    const unfinished = `${name}_unfinished`;
    await createSorted(query, unfinished);
    await withConnection(urlOf(url, unfinished), migratePostgres);
    const [from, to] = [unfinished, name].map(escapeIdentifier);
    await query(`ALTER DATABASE ${from} RENAME TO ${to}`);
  });
  return name;
}

/**
 * Sorts text as people do, as most databases out there: a statement that relies on the order of
 * bytes without saying so is found. A server that was built without ICU sorts by bytes.
 */
export async function createSorted(query: (sql: string) => Promise<unknown>, name: string) {
  const create = `CREATE DATABASE ${escapeIdentifier(name)} TEMPLATE template0 ENCODING 'UTF8'`;
  try {
    await query(`${create} LOCALE_PROVIDER icu ICU_LOCALE 'en' LOCALE 'C'`);
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== FEATURE_NOT_SUPPORTED) throw error;
    await query(`${create} LOCALE 'C'`);
  }
}

/** One statement on a connection of its own. */
export async function ask<Row extends QueryResultRow>(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  return withClient(url, async (client) => (await client.query<Row>(text, [...values])).rows);
}

/** What is said of the servers of tests, which keep nothing over a power cut. */
export const SERVER_WARNED =
  'fsync or full_page_writes is off: a power cut can destroy the database: ' +
  'set both to on in the configuration of the server\n' +
  'synchronous_commit is off: a crash of the server loses acknowledged writes: ' +
  'set it to on for the server, and reset it for the role and the database\n';
