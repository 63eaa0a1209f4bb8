import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { AtEnd } from '../../at-end.ts';
import { openClient } from '../../postgres/connection.ts';

/** What is committed, as a process beside the service reads it. */
export interface ToldStore {
  /** Whether the row of a webhook is there, and the end that it tells. */
  isCommitted(deliveryId: string): Promise<boolean>;
  ends(): Promise<readonly StoredEnd[]>;
  /** Of the rows of a receiver, by their ids. */
  outcomes(receiver: string): Promise<ReadonlyMap<string, Outcome>>;
  hasWaiting(receiver: string): Promise<boolean>;
}

export type Outcome = 'waiting' | 'delivered' | 'given_up';

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
const ALL_ENDS =
  'SELECT attempt_id, client, authenticated_at, rejected_at, failed_at FROM attempts';
const OUTCOMES = 'SELECT delivery_id, outcome FROM webhook_deliveries WHERE receiver = $1';
const WAITING = `SELECT 1 FROM webhook_deliveries
  WHERE receiver = $1 AND next_at IS NOT NULL LIMIT 1`;

export function storeOfFile(dataDir: string, atEnd: AtEnd): ToldStore {
  const database = new DatabaseSync(join(dataDir, 'miftah.db'), { readOnly: true });
  atEnd(() => database.close());
  const prepared = new Map(
    [COMMITTED, ALL_ENDS, OUTCOMES, WAITING].map((sql) => [
      sql,
      database.prepare(sql.replace('$1', '?')),
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
    ends: async () =>
      (await ask(ALL_ENDS)).map((row) => ({
        attemptId: String(row['attempt_id']),
        client: String(row['client']),
        events: eventsOf(row),
      })),
    outcomes: async (receiver) =>
      new Map(
        (await ask(OUTCOMES, receiver)).map((row) => [
          String(row['delivery_id']),
          (row['outcome'] ?? 'waiting') as Outcome,
        ]),
      ),
    hasWaiting: async (receiver) => (await ask(WAITING, receiver)).length > 0,
  };
}

const eventsOf = (row: Row): readonly string[] =>
  ENDS.filter((end) => row[`${end}_at`] !== null).map((end) => `attempt.${end}`);
