import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LoadProcess } from '../load/load-process.ts';
import { OWN_BOOK, type Book } from './count-rows.ts';
import { ServerProcess } from './server-process.ts';

const BATCH = 100_000;
const HOUR_MS = 3_600_000;
/** The ages of the attempts: below the day after which ended attempts are deleted. */
const SPREAD_MS = 20 * HOUR_MS;

/**
 * Fills a data folder with this many ended attempts of the last twenty hours. The service itself
 * creates the first one, so that schema and row are real; the others are copies of this row with
 * other ids, digests and times.
 */
export async function fillFolder(dataDir: string, attempts: number): Promise<void> {
  await startOne(dataDir);
  const database = new DatabaseSync(join(dataDir, OWN_BOOK.file));
  try {
    const copy = database.prepare(copyStatement(columnsOf(database)));
    const endedAt = Date.now() - HOUR_MS;
    const step = SPREAD_MS / attempts;
    for (let from = 1; from < attempts; from += BATCH) {
      copy.run({ from, to: Math.min(from + BATCH, attempts), first: endedAt - SPREAD_MS, step });
    }
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    database.close();
  }
}

/** Counts rows in addition to those that were there before the load. */
export function filledBook(attempts: number): Book {
  return {
    file: OWN_BOOK.file,
    count: `SELECT (SELECT count(*) FROM attempts) - ${attempts} AS attempts,
      0 AS completions, 0 AS tokens`,
  };
}

async function startOne(dataDir: string): Promise<void> {
  const server = await ServerProcess.service(dataDir);
  const load = new LoadProcess();
  await load.run({
    port: server.port,
    streams: [{ kind: 'start', connections: 1 }],
    seconds: Number.MAX_SAFE_INTEGER,
    requests: 1,
  });
  load.stop();
  await server.stop();
}

function columnsOf(database: DatabaseSync): string[] {
  const rows = database.prepare("SELECT name FROM pragma_table_info('attempts')").all();
  return rows.map(({ name }) => String(name));
}

/** Ids that increase with time, like the service's own (RFC 9562, version 7). */
const OWN_VALUES: Readonly<Record<string, string>> = {
  attempt_id: `printf('%08x-%04x-7%03x-8%03x-%012x', at >> 16, at & 65535, n % 4096, n / 4096 % 4096,
    abs(random()) % 281474976710656)`,
  token_digest: 'lower(hex(randomblob(32)))',
  created_at: 'at',
  expires_at: 'at + template.expires_at - template.created_at',
};

function copyStatement(columns: readonly string[]): string {
  const values = columns.map((name) => OWN_VALUES[name] ?? `template.${name}`);
  return `WITH RECURSIVE numbers (n) AS (
      SELECT :from UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < :to
    ),
    moments AS MATERIALIZED (SELECT n, CAST(:first + n * :step AS INTEGER) AS at FROM numbers),
    template AS MATERIALIZED (SELECT * FROM attempts ORDER BY attempt_id DESC LIMIT 1)
    INSERT INTO attempts (${columns.join(', ')})
    SELECT ${values.join(', ')} FROM moments, template`;
}
