import { StoreOpenError } from '../store-fault.ts';
import type { Answer, Call, PostgresConnection } from './connection.ts';

const BEGIN: Call = { name: null, sql: 'BEGIN', values: [] };
const ROLLBACK: Call = { name: null, sql: 'ROLLBACK', values: [] };
const PROCESS: Call = { name: null, sql: 'SELECT pg_backend_pid() AS backend', values: [] };

/** A pooler that is busy for others may give a connection the same process twice by chance. */
const ROUNDS = 3;

/**
 * Behind a pooler: refuses one that gives each transaction another process of the server. What the
 * service holds in a session would be somebody else's there: the lock by which it is seen
 * (decision 0113), limits of time, and prepared statements. It is proved by two connections: while
 * one is in a transaction, the other one must be at the process where it was, and at no other's.
 * @param openOther opens a second connection on the same way
 * @throws StoreOpenError, ServerError, ConnectionLost
 */
export async function requireOwnProcess(
  connection: PostgresConnection,
  openOther: () => Promise<PostgresConnection>,
): Promise<void> {
  const before = await processOf(connection, [PROCESS]);
  const other = await openOther();
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      requireSame(before !== (await processOf(other, [BEGIN, PROCESS])));
      requireSame(before === (await processOf(connection, [PROCESS])));
      await other.send([ROLLBACK]).answers;
    }
  } finally {
    other.destroy('it was for a question only');
  }
}

/** @param isSame whether the connection is still at its own process of the server */
function requireSame(isSame: boolean): void {
  if (isSame) return;
  throw new StoreOpenError(
    'store.unsafe_setting',
    'The pooler between this instance and the database gives each transaction another process of ' +
      'the server: run it in session mode (PgBouncer: pool_mode = session), or name the server ' +
      'itself in DATABASE_URL.',
  );
}

async function processOf(connection: PostgresConnection, calls: readonly Call[]): Promise<unknown> {
  const answers: readonly Answer[] = await connection.send(calls).answers;
  return answers.at(-1)?.rows[0]?.['backend'];
}
