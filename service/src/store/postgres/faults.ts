import { DatabaseError } from 'pg';
import { sqlStateWords } from '../../errors/fault-words.ts';
import { Refusal } from '../../errors/refusal.ts';
import { StatementError } from '../store-fault.ts';
import { isStatementsFault, provesRollback } from './connections/sql-state.ts';

const RETRY_AFTER_SECONDS = 1;

/**
 * The server answered with an error. Its message, detail and hint are not kept, because they can
 * quote values of the statement.
 */
export class ServerError extends Error {
  readonly sqlState: string;

  constructor(sqlState: string, place: string) {
    const words = sqlStateWords(sqlState);
    super(`PostgreSQL error ${sqlState}${place}${words === null ? '' : `: ${words}`}`);
    this.name = 'ServerError';
    this.sqlState = sqlState;
  }
}

/** The connection ended before the answer came, or nobody waited for it any longer. */
export class ConnectionLost extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'ConnectionLost';
  }
}

export type Fault = ServerError | ConnectionLost;

/** What the driver rejected with, without anything that a statement contained. */
export function faultOf(error: unknown): Fault {
  if (error instanceof ServerError || error instanceof ConnectionLost) return error;
  if (error instanceof DatabaseError) {
    // Every error of PostgreSQL has a code. Without one it proves nothing, and its text may quote.
    if (error.code === undefined) return new ConnectionLost('the server sent what is no answer');
    return new ServerError(error.code, placeOf(error));
  }
  return new ConnectionLost(error instanceof Error ? error.message : String(error));
}

/** Names of the schema: they say what was violated and contain no value. */
function placeOf({ constraint, table, column }: DatabaseError): string {
  const names = [
    constraint === undefined ? '' : ` constraint ${constraint}`,
    table === undefined ? '' : ` table ${table}`,
    column === undefined ? '' : ` column ${column}`,
  ].join('');
  return names === '' ? '' : ` (${names.trim()})`;
}

/** The answer to a caller when nothing was written. */
export function asNotDone(fault: Fault): Refusal | StatementError {
  if (fault instanceof ServerError && isStatementsFault(fault.sqlState)) {
    return new StatementError(fault.message, fault.sqlState);
  }
  return unavailable(fault.message);
}

/** The answer to a caller when the fault came after a write or COMMIT was sent. */
export function asOfCommit(fault: Fault): Refusal | StatementError {
  if (fault instanceof ServerError && provesRollback(fault.sqlState)) return asNotDone(fault);
  return outcomeUnknown(fault.message);
}

export function unavailable(reason: string): Refusal {
  return new Refusal('storage.unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS, reason });
}

export function outcomeUnknown(reason: string): Refusal {
  return new Refusal('storage.outcome_unknown', { retryAfterSeconds: RETRY_AFTER_SECONDS, reason });
}

export function overloaded(reason: string): Refusal {
  return new Refusal('server.overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS, reason });
}
