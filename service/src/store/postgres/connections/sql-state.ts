// The SQLSTATE codes of PostgreSQL (its documentation, appendix A), by what they mean for a write.
// The severity of an error is not used: the server translates it into its own language.

/** The server ends the connection, or nobody can tell what was done. */
const DOUBTFUL = ['08', '57P', '58', 'XX', 'F0', '40003', '25P03', '25P04'];

/** The server could not do it now. The statement itself may be right. */
const UNAVAILABLE = [
  ...DOUBTFUL,
  '0A000',
  '25',
  '26',
  '28',
  '3D',
  '40',
  '42501',
  '42P05',
  '53',
  '55',
  '57',
];

/**
 * The connection has to be made anew: what it prepared is no longer valid (0A000, 26000, 42P05), it
 * is in a transaction that should not be there (25), or the server does not accept writes (25006).
 */
const UNUSABLE = [...DOUBTFUL, '0A000', '26000', '42P05', '25'];

/** Serialization failure and deadlock; and statements that were prepared before a migration. */
const RUN_AGAIN = new Set(['40001', '40P01', '0A000', '26000']);

function startsWithAny(sqlState: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => sqlState.startsWith(prefix));
}

/** An error reply with this code proves that the transaction was not committed. */
export function provesRollback(sqlState: string): boolean {
  return !startsWithAny(sqlState, DOUBTFUL);
}

/** The statement or its values are at fault, and the same statement will fail again. */
export function isStatementsFault(sqlState: string): boolean {
  return !startsWithAny(sqlState, UNAVAILABLE);
}

/** The server ended the statement at one of its limits: it waited for a lock, for example. */
export function ranOutOfTime(sqlState: string): boolean {
  return sqlState === '57014' || sqlState === '55P03';
}

export function makesUnusable(sqlState: string): boolean {
  return startsWithAny(sqlState, UNUSABLE);
}

/** There is no space on a disk of the server, for a table or for a temporary file. */
export function isDiskFull(sqlState: string): boolean {
  return sqlState === '53100';
}

/** The whole transaction may be run again, and may then succeed. */
export function mayRunAgain(sqlState: string): boolean {
  return RUN_AGAIN.has(sqlState);
}

/** A notice that is a warning: success has class 00, and plain notices and messages have it too. */
export function isWarning(sqlState: string): boolean {
  return !sqlState.startsWith('00');
}
