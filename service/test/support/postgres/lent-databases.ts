import { escapeIdentifier, escapeLiteral, type Client } from 'pg';
import { migratedDatabase } from './databases.ts';
import { openClient } from './connection.ts';

/** A database with the current schema and nothing in it. */
export interface LentDatabase {
  readonly url: string;
  /** Removes what was written since, also beside connections that stay. */
  readonly empty: () => Promise<void>;
  /** For the next one who asks. Connections that are still there are ended then. */
  readonly giveBack: () => void;
}

/** Each worker has its own. */
const free: ReusedDatabase[] = [];

/**
 * For a test that changes rows and nothing else. A database that was given back is emptied and
 * given out again: to make a new one takes ten times as long.
 */
export async function lendDatabase(): Promise<LentDatabase> {
  const database = free.pop() ?? (await ReusedDatabase.make());
  await database.endOthers();
  await database.empty();
  return {
    url: database.url,
    empty: () => database.empty(),
    giveBack: () => void free.push(database),
  };
}

class ReusedDatabase {
  readonly url: string;
  readonly #client: Client;
  readonly #reset: string;

  private constructor(url: string, client: Client, reset: string) {
    this.url = url;
    this.#client = client;
    this.#reset = reset;
  }

  static async make(): Promise<ReusedDatabase> {
    // It is dropped with all databases of the run.
    const url = await migratedDatabase(() => undefined);
    // The server ends before the worker does.
    const client = await openClient(url);
    return new ReusedDatabase(url, client, await resetOf(client));
  }

  async endOthers(): Promise<void> {
    await this.#client.query(END_OTHERS);
  }

  async empty(): Promise<void> {
    await this.#client.query(this.#reset);
  }
}

const END_OTHERS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;

/** In the order in which they were made: what refers to a table comes after it. */
const TABLES = `SELECT relname AS name FROM pg_class
  WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY oid`;
const SEQUENCES = `SELECT sequencename AS name FROM pg_sequences WHERE schemaname = 'public'`;

/**
 * The statements that bring everything back to what it is now. The lock waits for transactions of
 * connections that were just ended.
 */
async function resetOf(client: Client): Promise<string> {
  const tables = await namesBy(client, TABLES);
  const sequences = await namesBy(client, SEQUENCES);
  const refill: string[] = [];
  for (const table of tables) refill.push(await insertOf(client, table));
  for (const sequence of sequences) refill.push(await setOf(client, sequence));
  const [off, on] = await triggersOf(client, tables);
  const statements = [
    `BEGIN`,
    `LOCK TABLE ${tables.join(', ')} IN ACCESS EXCLUSIVE MODE`,
    ...off,
    ...tables.toReversed().map((table) => `DELETE FROM ${table}`),
    ...refill,
    ...on,
    `COMMIT`,
  ];
  return statements.join(';\n');
}

/**
 * Turns them off and on again. The tables' owner may change the tables, after which every connection
 * plans its statements anew; a superuser, as on the server of a run, leaves them as they are.
 */
async function triggersOf(
  client: Client,
  tables: readonly string[],
): Promise<readonly [off: readonly string[], on: readonly string[]]> {
  const { rows } = await client.query<{ is: boolean }>(
    `SELECT rolsuper AS is FROM pg_roles WHERE rolname = current_user`,
  );
  if (rows[0]?.is === true) return [['SET LOCAL session_replication_role = replica'], []];
  const all = (word: string) => tables.map((name) => `ALTER TABLE ${name} ${word} TRIGGER USER`);
  return [all('DISABLE'), all('ENABLE')];
}

async function namesBy(client: Client, sql: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(sql);
  return rows.map(({ name }) => escapeIdentifier(name));
}

async function insertOf(client: Client, table: string): Promise<string> {
  const { rows } = await client.query<{ all: string }>(
    `SELECT coalesce(jsonb_agg(one), '[]')::text AS all FROM ${table} AS one`,
  );
  const content = escapeLiteral(rows[0]?.all ?? '[]');
  return `INSERT INTO ${table} OVERRIDING SYSTEM VALUE
    SELECT * FROM jsonb_populate_recordset(null::${table}, ${content})`;
}

async function setOf(client: Client, sequence: string): Promise<string> {
  const { rows } = await client.query<{ last: string; called: boolean }>(
    `SELECT last_value::text AS last, is_called AS called FROM ${sequence}`,
  );
  const [now] = rows;
  return `SELECT setval(${escapeLiteral(sequence)}, ${now?.last ?? 1}, ${now?.called ?? false})`;
}
