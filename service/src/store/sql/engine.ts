import type { AuditKeys } from '../../platform/keys/server-keys.port.ts';
import type { StoreHealth } from '../ports/store.port.ts';
import type { Command, Read } from './statement.ts';
import type { Identities } from './identities.ts';
import type { Receivers } from './receivers.ts';
import type { Statements } from './queries/index.ts';

/**
 * A database that runs commands and reads. It brings the statements in its dialect, its migrations
 * and its own way to let commands share a commit.
 */
export interface SqlEngine {
  /** Resolves when the command is durable. @throws Refusal or StatementError by rejection */
  run<Result>(command: Command<Result>): Promise<Result>;
  read<Result>(read: Read<Result>): Promise<Result>;
  health(): StoreHealth;
  recover(): Promise<void>;
  close(): Promise<void>;
}

/** What commands are made of. */
export interface CommandParts {
  readonly sql: Statements;
  readonly identities: Identities;
  /** Who is told of what a command changes. */
  readonly receivers: Receivers;
}

export interface SqlParts extends CommandParts {
  readonly engine: SqlEngine;
  readonly auditKeys: AuditKeys;
}
