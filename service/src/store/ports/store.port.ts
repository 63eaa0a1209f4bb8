import type { Act } from '../../audit/act.ts';
import type { AttemptStore } from './attempts.port.ts';
import type { OpenidRecords } from './openid.port.ts';
import type { OperatorStore } from './operator.port.ts';
import type { Outbox } from './outbox.port.ts';
import type { PersonalDataStore } from './personal-data.port.ts';
import type { PushStore } from './pushes.port.ts';
import type { TokenStore } from './tokens.port.ts';
import type { UserStore } from './users.port.ts';

export type * from './attempts.port.ts';
export type * from './openid.port.ts';
export type * from './operator.port.ts';
export type * from './outbox.port.ts';
export type * from './personal-data.port.ts';
export type * from './pushes.port.ts';
export type * from './tokens.port.ts';
export type * from './users.port.ts';

/**
 * Where attempts, users and API tokens are kept: one port for each noun, and the promises of all of
 * them.
 *
 * Durability and order
 * - S-1: when a writing call resolves, its effect survives the end of the process and a power cut.
 * - S-2: a reading call sees every write that resolved before it began.
 * - S-3: a writing call takes effect completely or not at all, also when many run at once.
 * - S-4: a call that rejects with `storage.unavailable` had no effect; one that rejects with
 *   `storage.outcome_unknown` may have had one.
 * - S-5: time is a parameter: the store never reads a clock.
 * - S-6: every text comes back as it was written, if it is valid Unicode without NUL. The doors of
 *   the service refuse any other text (decision 0010).
 *
 * Who does it
 * - S-131: `by` gives the same store for one who acts: every row of the audit log that is written
 *   through it, and no other, has the actor and the reason.
 *
 * Housekeeping
 * - S-31: after a write was refused for lack of space `health` says so, and reads continue; a write
 *   succeeds or is refused depending on the space. `recover` finds out whether there is space
 *   again; it never rejects.
 * - S-30: after `close` resolves, everything accepted before is durable and the store is free.
 */
export interface Store
  extends
    AttemptStore,
    UserStore,
    TokenStore,
    PushStore,
    PersonalDataStore,
    OpenidRecords,
    OperatorStore {
  by(act: Act): Store;
  /** For webhooks. The stores that `by` gives have the same. */
  readonly outbox: Outbox;
  health(): StoreHealth;
  recover(): Promise<void>;
  close(): Promise<void>;
}

/** `reason` is for the log: it may quote the database, so callers are not told it. */
export type StoreHealth =
  | { readonly ready: true }
  | {
      readonly ready: false;
      readonly reason: string;
      /** Writes are refused for lack of space only, and go on when there is some. */
      readonly isFull?: true;
      /** Writes do not end, and reads go on. The store takes writes again when they do. */
      readonly isStalled?: true;
      readonly isAway?: never;
    }
  | StoreAway;

/** The database server can't be used now. The store goes on when it can. */
export interface StoreAway {
  readonly ready: false;
  readonly reason: string;
  readonly isAway: true;
  /**
   * The server refuses the password. Another one is read without a restart from its file, which may
   * be one that can't be used now; it is a copy that changes at a start alone; or there is no file.
   */
  readonly password?: 'in_file' | 'unusable_file' | 'credential' | 'fixed';
  readonly isFull?: never;
  readonly isStalled?: never;
}
