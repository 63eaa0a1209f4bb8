/** Why a store could not be opened or may not be used. The message says what to do about it. */
export type OpenFaultCode =
  | 'store.locked'
  | 'store.corrupt'
  | 'store.newer_schema'
  | 'store.older_schema'
  | 'store.moved'
  | 'store.left_behind'
  | 'store.bound_otherwise'
  | 'store.unbound'
  | 'store.in_use'
  | 'store.unsafe_setting'
  | 'store.unavailable';

export class StoreOpenError extends Error {
  readonly code: OpenFaultCode;

  constructor(code: OpenFaultCode, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.name = 'StoreOpenError';
    this.code = code;
  }
}

/** The database refused one statement, for example because of a constraint. Nothing was written. */
export class StatementError extends Error {
  /** What PostgreSQL says of the reason, for example `23505`; null from SQLite. */
  readonly sqlState: string | null;

  constructor(message: string, sqlState: string | null = null) {
    super(message);
    this.name = 'StatementError';
    this.sqlState = sqlState;
  }
}
