import type { Refusal } from '../../domain/errors/refusal.ts';
import type { StepResult } from '../sql/statement.ts';
import type { StatementError } from '../store-fault.ts';
import type { Call, PostgresConnection } from './connection.ts';
import {
  asNotDone,
  asOfCommit,
  ConnectionLost,
  faultOf,
  outcomeUnknown,
  ServerError,
  type Fault,
} from './faults.ts';
import { mayRunAgain } from './sql-state.ts';

/** The role or the database may have another default than READ COMMITTED. */
const BEGIN: Call = { name: null, sql: 'BEGIN ISOLATION LEVEL READ COMMITTED', values: [] };
const COMMIT: Call = { name: null, sql: 'COMMIT', values: [] };
const ROLLBACK: Call = { name: null, sql: 'ROLLBACK', values: [] };
const ROLLED_BACK = new ServerError('25P02', '');
const LOST_BEFORE = new ConnectionLost('the connection ended before COMMIT was sent');

/** What a transaction can do. After a rejection everything further in it is rejected too. */
export interface Session {
  /** @throws Refusal `storage.unavailable`; StatementError */
  query(call: Call): Promise<StepResult>;
  /**
   * Sends all calls before the first answer. None of them can use an answer of another one.
   * @throws Refusal `storage.unavailable`; StatementError, of the first call that failed
   */
  pipeline(calls: readonly Call[]): Promise<readonly StepResult[]>;
}

/** One transaction on one connection. It begins with the first call. */
export class Transaction implements Session {
  readonly #connection: PostgresConnection;
  #begun: Promise<unknown> | null = null;
  #fault: Fault | null = null;

  constructor(connection: PostgresConnection) {
    this.#connection = connection;
  }

  /** The first fault of a call, also when the caller has caught it. */
  get fault(): Fault | null {
    return this.#fault;
  }

  async query(call: Call): Promise<StepResult> {
    const [result] = await this.pipeline([call]);
    if (result === undefined) throw asNotDone(ROLLED_BACK);
    return result;
  }

  async pipeline(calls: readonly Call[]): Promise<readonly StepResult[]> {
    try {
      // Statements that were sent behind a BEGIN that failed would be committed one by one.
      this.#begun ??= this.#connection.query(BEGIN);
      await this.#begun;
      return await allOf(this.#connection.queryAll(calls));
    } catch (error) {
      this.#fault ??= faultOf(error);
      throw asNotDone(faultOf(error));
    }
  }

  /** @throws Refusal `storage.unavailable`, `storage.outcome_unknown`; StatementError */
  async commit(): Promise<void> {
    if (this.#begun === null) return;
    if (this.#connection.isBroken) throw asNotDone(this.#fault ?? LOST_BEFORE);
    this.#begun = null;
    const answer = await writeOnce(this.#connection, COMMIT);
    // The server answers so, without an error, when a statement before had failed.
    if (answer.command !== 'COMMIT') throw asNotDone(this.#fault ?? ROLLED_BACK);
  }

  /** Never rejects: without an answer the connection ends, and the server rolls back by itself. */
  async rollback(): Promise<void> {
    if (this.#begun === null || this.#connection.isBroken) return;
    try {
      await this.#connection.query(ROLLBACK);
    } catch {
      this.#connection.destroy('a transaction could not be rolled back');
    }
  }
}

/**
 * Sends what commits: COMMIT, or a write outside of a transaction.
 * @throws Refusal `storage.unavailable`, `storage.outcome_unknown`; StatementError
 */
export async function writeOnce(connection: PostgresConnection, call: Call) {
  connection.takeWarning();
  const answer = await connection.query(call).catch((error: unknown) => {
    throw commitFault(faultOf(error));
  });
  const warning = connection.takeWarning();
  if (warning === null) return answer;
  // So the server says that it no longer waits for its standby. The answer is that of a success.
  throw outcomeUnknown(`the commit was answered with the warning ${warning}`);
}

/** A fault that the caller can run again keeps its type; any other is final. */
function commitFault(fault: Fault): Fault | Refusal | StatementError {
  return fault instanceof ServerError && mayRunAgain(fault.sqlState) ? fault : asOfCommit(fault);
}

async function allOf<T>(promises: readonly Promise<T>[]): Promise<readonly T[]> {
  const results = await Promise.allSettled(promises);
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
