import type { Unit, StepResult } from '../../sql/statement.ts';

/**
 * A setting of SQLite, and the value that reading it back must give: a silently refused setting
 * could lose data.
 */
export interface Pragma {
  readonly name: string;
  readonly value: string | number;
  readonly expected: string | number;
}

export interface WorkerSettings {
  /** Null for a command that runs beside the process with the lock. */
  readonly lockFile: string | null;
  /** How long a restart waits for the process before it. */
  readonly lockWaitMs: number;
  readonly file: string;
  readonly pragmas: readonly Pragma[];
  /** Pages of 4 KiB in the write-ahead log at which they are moved into the database file. */
  readonly maxLogPages: number;
  /** Looks for commits behind a damaged place of the log. Only while nobody else writes. */
  readonly verifyLog: boolean;
  /** Reads the whole file before it is used. */
  readonly verify: boolean;
  /** SQL by the name that steps use. */
  readonly statements: Readonly<Record<string, string>>;
  /** Rows of the audit log are chained under it; empty for none. */
  readonly auditKey: Uint8Array;
}

/** `code` is SQLite's extended result code; null for an error that is not SQLite's. */
export interface SqlFault {
  readonly code: number | null;
  readonly message: string;
}

export type UnitReply = { readonly results: readonly StepResult[] } | { readonly fault: SqlFault };

export type BatchReply =
  | { readonly outcome: 'committed'; readonly units: readonly UnitReply[] }
  /** Nothing of the batch has happened. */
  | { readonly outcome: 'rolled_back'; readonly fault: SqlFault }
  /**
   * The disk failed during the commit, so it is unknown what a restart will find. With `undone`
   * this process has returned to the previous commit and can continue.
   */
  | { readonly outcome: 'unknown'; readonly fault: SqlFault; readonly undone: boolean };

export type Request =
  /** Comes first: takes the lock, opens the file and applies the settings. */
  | { readonly kind: 'open'; readonly settings: WorkerSettings }
  | {
      readonly kind: 'batch';
      readonly units: readonly Unit[];
      /** From this batch on; absent: as before. */
      readonly auditKey?: Uint8Array;
    }
  /** Moves everything from the write-ahead log into the database file. */
  | { readonly kind: 'flush' }
  /** Closes the files and gives the lock back. */
  | { readonly kind: 'release' };

export type OpenStage = 'lock' | 'log' | 'open' | 'setting' | 'verify';

export type Message =
  /** `location` is what the other connections of this process have to open. */
  | { readonly kind: 'opened'; readonly location: string }
  | { readonly kind: 'refused'; readonly stage: OpenStage; readonly fault: SqlFault }
  | { readonly kind: 'batch'; readonly reply: BatchReply }
  | { readonly kind: 'done'; readonly fault: SqlFault | null }
  /** A checkpoint between two batches failed. Everything that was committed is still in the log. */
  | { readonly kind: 'broken'; readonly fault: SqlFault }
  /** Sent once, when the log has become several times too long: somebody reads for a long time. */
  | { readonly kind: 'longLog'; readonly bytes: number };
