import type { StoreBinding } from '../../src/values/store-binding.ts';
import { AttemptTable } from './tables/attempts.ts';
import { AuditLog } from './tables/audit.ts';
import { CallTable } from './tables/calls.ts';
import { OpenidTable } from './tables/openid.ts';
import { PushTable } from './tables/pushes.ts';
import { TokenTable } from './tables/tokens.ts';
import { TransactionTable } from './tables/transactions.ts';
import { UserTable } from './tables/users.ts';

const NO_KEY = new Uint8Array();

export interface ModelOptions {
  /** Erases a requested identifier when its attempt ends, as a store with a vault does. */
  readonly erasesIdentifiers?: boolean;
  readonly auditKey?: Uint8Array;
}

/** Everything that the model keeps. */
export interface Tables {
  readonly attempts: AttemptTable;
  readonly transactions: TransactionTable;
  readonly users: UserTable;
  readonly tokens: TokenTable;
  readonly pushes: PushTable;
  readonly calls: CallTable;
  readonly openid: OpenidTable;
  readonly audit: AuditLog;
  binding: StoreBinding | null;
}

/** Gives the tables while the store is open. @throws Refusal when it is closed */
export type OpenTables = () => Tables;

export function emptyTables({
  erasesIdentifiers = false,
  auditKey = NO_KEY,
}: ModelOptions): Tables {
  return {
    attempts: new AttemptTable(erasesIdentifiers),
    transactions: new TransactionTable(),
    users: new UserTable(),
    tokens: new TokenTable(),
    pushes: new PushTable(),
    calls: new CallTable(),
    openid: new OpenidTable(),
    audit: new AuditLog(auditKey),
    binding: null,
  };
}
