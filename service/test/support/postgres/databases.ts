import { randomBytes } from 'node:crypto';
import { Client, escapeIdentifier, escapeLiteral, type QueryResultRow } from 'pg';
import { onTestFinished } from 'vitest';
import type { AtEnd } from '../at-end.ts';
import { sharedServer } from './door.ts';

const RANDOM_BYTES = 6;

/**
 * A database of its own on the server that all tests share, dropped at the end.
 * @returns its URL
 */
export async function emptyDatabase(
  atEnd: AtEnd = onTestFinished,
  { encoding = 'UTF8' }: { readonly encoding?: string } = {},
): Promise<string> {
  const { url, run } = await sharedServer();
  const name = `${run}_${randomBytes(RANDOM_BYTES).toString('hex')}`;
  const form = `TEMPLATE template0 ENCODING ${escapeLiteral(encoding)} LOCALE 'C'`;
  await ask(url, `CREATE DATABASE ${escapeIdentifier(name)} ${form}`);
  atEnd(async () => {
    await ask(url, `DROP DATABASE ${escapeIdentifier(name)} WITH (FORCE)`);
  });
  const own = new URL(url);
  own.pathname = `/${name}`;
  return own.href;
}

/** One statement on a connection of its own. */
export async function ask<Row extends QueryResultRow>(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}
