import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { AtEnd } from '../../at-end.ts';
import { openClient } from '../../postgres/connection.ts';

/** What is committed, as a process beside the service reads it. */
export interface ToldStore {
  /** Whether the row of a webhook is there, and the end that it tells. */
  isCommitted(deliveryId: string): Promise<boolean>;
  /** All attempts, in the order of their ids, and what is told of them. */
  pages(): AsyncIterable<StoredPage>;
  hasWaiting(receiver: string): Promise<boolean>;
}

export type Outcome = 'waiting' | 'delivered' | 'given_up';

/** Some attempts, so that a million need no more memory than these. */
export interface StoredPage {
  readonly ends: readonly StoredEnd[];
  /** Of the webhooks of these attempts, by their ids. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** The id of the last attempt. */
  readonly to: string;
}

export interface StoredEnd {
  readonly attemptId: string;
  readonly client: string;
  /** Empty while it is pending, and after its expiry. */
  readonly events: readonly string[];
}

type Row = Readonly<Record<string, unknown>>;
type Ask = (sql: string, ...values: string[]) => Promise<readonly Row[]>;

/** Of a prepared statement, in PostgreSQL. */
const LONGEST_NAME = 60;

const ENDS = ['authenticated', 'rejected', 'failed'] as const;

const COMMITTED = `SELECT event, authenticated_at, rejected_at, failed_at FROM webhook_deliveries
  INNER JOIN attempts ON attempts.attempt_id = webhook_deliveries.attempt_id WHERE delivery_id = $1`;
const PAGE = 5_000;
const SOME_ENDS = `SELECT attempt_id, client, authenticated_at, rejected_at, failed_at FROM attempts
  WHERE attempt_id > $1 ORDER BY attempt_id LIMIT ${PAGE}`;
const OUTCOMES = `SELECT delivery_id, outcome FROM webhook_deliveries
  WHERE attempt_id > $1 AND attempt_id <= $2`;
const WAITING = `SELECT 1 FROM webhook_deliveries
  WHERE receiver = $1 AND next_at IS NOT NULL LIMIT 1`;

export function storeOfFile(dataDir: string, atEnd: AtEnd): ToldStore {
  const database = new DatabaseSync(join(dataDir, 'miftah.db'), { readOnly: true });
  atEnd(() => database.close());
  const prepared = new Map(
    [COMMITTED, SOME_ENDS, OUTCOMES, WAITING].map((sql) => [
      sql,
      database.prepare(sql.replaceAll(/\$\d/g, '?')),
    ]),
  );
  return toldStore((sql, ...values) => Promise.resolve(prepared.get(sql)?.all(...values) ?? []));
}

export async function storeOfPostgres(url: string, atEnd: AtEnd): Promise<ToldStore> {
  const client = await openClient(url);
  atEnd(() => client.end());
  // One after the other, as the driver wants it.
  let last: Promise<unknown> = Promise.resolve();
  return toldStore(async (text, ...values) => {
    const asked = { name: text.slice(0, LONGEST_NAME), text, values };
    const next = last.then(() => client.query<Row>(asked));
    last = next.catch(() => undefined);
    return (await next).rows;
  });
}

function toldStore(ask: Ask): ToldStore {
  return {
    async isCommitted(deliveryId) {
      const [row] = await ask(COMMITTED, deliveryId);
      if (row === undefined) return false;
      const told = String(row['event']).replace('attempt.', '');
      return told === 'expired' ? eventsOf(row).length === 0 : row[`${told}_at`] !== null;
    },
    async *pages() {
      for (let after = ''; ;) {
        const ends = (await ask(SOME_ENDS, after)).map((row) => ({
          attemptId: String(row['attempt_id']),
          client: String(row['client']),
          events: eventsOf(row),
        }));
        const to = ends.at(-1)?.attemptId;
        if (to === undefined) return;
        const rows = await ask(OUTCOMES, after, to);
        const outcomes = rows.map(
          (row) => [String(row['delivery_id']), (row['outcome'] ?? 'waiting') as Outcome] as const,
        );
        yield { ends, outcomes: new Map(outcomes), to };
        after = to;
      }
    },
    hasWaiting: async (receiver) => (await ask(WAITING, receiver)).length > 0,
  };
}

const eventsOf = (row: Row): readonly string[] =>
  ENDS.filter((end) => row[`${end}_at`] !== null).map((end) => `attempt.${end}`);
