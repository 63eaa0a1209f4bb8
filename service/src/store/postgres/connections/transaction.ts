import type { Refusal } from '../../../errors/refusal.ts';
import type { StepResult } from '../../sql/statement.ts';
import type { StatementError } from '../../store-fault.ts';
import type { Answer, Call, PostgresConnection } from './connection.ts';
import {
  asNotDone,
  asOfCommit,
  ConnectionLost,
  faultOf,
  outcomeUnknown,
  ServerError,
  type Fault,
} from '../faults.ts';
import { mayRunAgain } from './sql-state.ts';

/** The role or the database may have another default than READ COMMITTED. */
const BEGIN: Call = { name: 'BEGIN', sql: 'BEGIN ISOLATION LEVEL READ COMMITTED', values: [] };
const COMMIT: Call = { name: 'COMMIT', sql: 'COMMIT', values: [] };
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
  /** For calls whose answer nobody needs: they go together with COMMIT, and save a round trip. */
  beforeCommit(call: Call): void;
}

/** One transaction on one connection. It begins with the first call. */
export class Transaction implements Session {
  readonly #connection: PostgresConnection;
  readonly #last: Call[] = [];
  #isBegun = false;
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
    const first = this.#begin();
    try {
      const answers = await this.#connection.send([...first, ...calls]).answers;
      return answers.slice(first.length);
    } catch (error) {
      this.#fault ??= faultOf(error);
      throw asNotDone(faultOf(error));
    }
  }

  beforeCommit(call: Call): void {
    this.#last.push(call);
  }

  /** @throws Refusal `storage.unavailable`, `storage.outcome_unknown`; StatementError */
  async commit(): Promise<void> {
    if (!this.#isBegun && this.#last.length === 0) return;
    if (this.#connection.isBroken) throw asNotDone(this.#fault ?? LOST_BEFORE);
    const calls = [...this.#begin(), ...this.#last, COMMIT];
    this.#connection.takeWarning();
    const sent = this.#connection.send(calls);
    const answers = await sent.answers.catch((error: unknown) => {
      throw this.#faultOfLast(faultOf(error), calls.length - sent.answered());
    });
    this.#isBegun = false;
    refuseWarned(this.#connection);
    // The server answers so, without an error, when a statement before had failed.
    if (answers.at(-1)?.command !== 'COMMIT') throw asNotDone(this.#fault ?? ROLLED_BACK);
  }

  /**
   * A COMMIT that the server has not understood leaves the transaction open, so it is rolled back
   * whatever the fault is.
   * @param unanswered how many of the last calls the server has not answered; COMMIT is the last one
   */
  #faultOfLast(fault: Fault, unanswered: number): Fault | Refusal | StatementError {
    // What comes behind the answer to COMMIT proves nothing, whatever its code says.
    if (unanswered === 0) return outcomeUnknown(fault.message);
    if (unanswered === 1 || !(fault instanceof ServerError)) return commitFault(fault);
    this.#fault ??= fault;
    return asNotDone(fault);
  }

  /** BEGIN goes with the first calls: if it fails, the server passes over them. */
  #begin(): readonly Call[] {
    const isFirst = !this.#isBegun;
    this.#isBegun = true;
    return isFirst ? [BEGIN] : [];
  }

  /** Never rejects: without an answer the connection ends, and the server rolls back by itself. */
  async rollback(): Promise<void> {
    if (!this.#isBegun || this.#connection.isBroken) return;
    try {
      await this.#connection.query(ROLLBACK);
    } catch {
      this.#connection.destroy('a transaction could not be rolled back');
    }
  }
}

/**
 * Sends a write outside of a transaction, which commits by itself.
 * @throws Refusal `storage.unavailable`, `storage.outcome_unknown`; StatementError
 */
export async function writeOnce(connection: PostgresConnection, call: Call): Promise<Answer> {
  connection.takeWarning();
  const answer = await connection.query(call).catch((error: unknown) => {
    throw commitFault(faultOf(error));
  });
  refuseWarned(connection);
  return answer;
}

/** So the server says that it no longer waits for its standby. The answer is that of a success. */
function refuseWarned(connection: PostgresConnection): void {
  const warning = connection.takeWarning();
  if (warning !== null) {
    throw outcomeUnknown(`the commit was answered with the warning ${warning}`);
  }
}

/** A fault that the caller can run again keeps its type; any other is final. */
function commitFault(fault: Fault): Fault | Refusal | StatementError {
  return fault instanceof ServerError && mayRunAgain(fault.sqlState) ? fault : asOfCommit(fault);
}
