import { StoreOpenError } from '../store-fault.ts';
import type { Answer, Call, PostgresConnection } from './connections/connection.ts';

const BEGIN: Call = { name: null, sql: 'BEGIN', values: [] };
const ROLLBACK: Call = { name: null, sql: 'ROLLBACK', values: [] };
const PROCESS: Call = { name: null, sql: 'SELECT pg_backend_pid() AS backend', values: [] };

/** A pooler that is busy for others may give a connection the same process again by chance. */
const ROUNDS = 4;

/**
 * Refuses a pooler in between that gives each transaction another process of the server. What the
 * service holds in a session would be somebody else's there: the lock by which it is seen
 * (decision 0014), limits of time, and prepared statements. It is proved by two connections, which
 * take turns with a transaction: each has to be at a process of its own, and at the same each time.
 * @param openOther opens a second connection on the same way
 * @throws StoreOpenError, ServerError, ConnectionLost
 */
export async function requireOwnProcess(
  connection: PostgresConnection,
  openOther: () => Promise<PostgresConnection>,
): Promise<void> {
  const mine = { connection, process: await processOf(connection, [PROCESS]) };
  const other = await openOther();
  const theirs = { connection: other, process: await processOf(other, [PROCESS]) };
  try {
    if (mine.process === theirs.process) refuse();
    for (let round = 0; round < ROUNDS; round += 1) {
      const [busy, idle] = round % 2 === 0 ? [theirs, mine] : [mine, theirs];
      if ((await processOf(busy.connection, [BEGIN, PROCESS])) !== busy.process) refuse();
      if ((await processOf(idle.connection, [PROCESS])) !== idle.process) refuse();
      await busy.connection.send([ROLLBACK]).answers;
    }
  } finally {
    other.destroy('it was for a question only');
  }
}

function refuse(): never {
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
