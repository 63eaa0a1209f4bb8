import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { Client } from '../account/client.ts';
import { parseAttemptId, type AttemptId } from '../values/ids.ts';
import type { Reason } from '../audit/act.ts';
import { SUCCESS_OF, type AuditEvent, type AuditHead, type Task } from '../audit/audit.ts';
import type { KeptHead } from '../audit/audit-head.ts';
import type { Comparison, ComparisonRequest } from '../operate/against/drift.ts';
import type { ExportedUser } from '../account/exported-user.ts';
import type { Finding } from '../operate/doctor/finding.ts';
import { parseUserId, type User, type UserId } from '../account/user.ts';
import type { Ms } from '../values/time.ts';
import type {
  Erasure,
  RecoveryCounts,
  RevocationCounts,
  RevocationScope,
} from '../store/ports/store.port.ts';
import type { Role } from '../values/operator-role.ts';
import type { Random } from '../platform/runtime.port.ts';
import type { Store } from '../store/ports/store.port.ts';
import type { AskHow } from './drive/index.ts';
import type { SetUpRequest } from './init/questions.ts';

/** The end of the audit log, kept outside the store in a file. */
export interface HeadFile {
  readonly path: string;
  /** Null when the file does not exist. @throws Error when this service did not write it */
  read(): KeptHead | null;
  write(head: KeptHead): void;
}

/** Where a reader of the audit log has got to. */
export interface CursorFile {
  /**
   * Null when the file does not exist yet.
   * @throws Error when it is something else, or could not be written
   */
  read(): AuditHead | null;
  /** @throws Error of the file system */
  write(last: AuditHead): void;
}

/** What was done when a backup replaced the store. */
export interface Restored extends RecoveryCounts {
  /** What was there: a store that was used knows who was disabled since the backup. */
  readonly replaced: 'nothing' | 'new' | 'used';
  /** People who had been erased since the backup, and were erased again; null: not known. */
  readonly erased: number | null;
  /** The number up to which no new user gets an id, as any may be somebody's; null: all are known. */
  readonly skippedTo: number | null;
  /** Why AUDIT_HEAD_FILE was not written, after everything else was done; null: it was. */
  readonly headFault: string | null;
}

/** How many of the latest days and weeks (of UTC, from Monday on) have a backup that is kept. */
export interface Rotation {
  readonly daily: number;
  readonly weekly: number;
}

/** A backup of which a restore was tried. */
export interface KeptBackup {
  readonly file: string;
  /** How many rows the audit log has in it. */
  readonly rows: number;
  /** How many earlier backups were removed. */
  readonly removed: number;
  /** Who else could change the folder; null: nobody. */
  readonly warning: string | null;
}

/** What was ended in a database that was restored with the tools of PostgreSQL. */
export type EndedInDatabase = RecoveryCounts & Pick<Restored, 'skippedTo' | 'headFault'>;

/** What became of a store that was moved to the other engine. */
export interface MovedTo {
  /** Where it is now, and where it was. */
  readonly place: string;
  readonly left: string;
  /** How many rows each table has. */
  readonly counts: ReadonlyMap<string, number>;
  /** False when an earlier run had done that, and this one has only opened the copy. */
  readonly isCopied: boolean;
  readonly isDatabase: boolean;
  /** The file with the key that it needs there too; null: the key is in the settings. */
  readonly keyFile: string | null;
}

/** Work on a store whose key is lost. `alone` is explained at `withLostStore`. */
type LostStoreWork = (
  store: Store,
  now: Ms,
  alone: (change: () => Promise<unknown>) => Promise<NewHead>,
) => Promise<void>;

/** What became of AUDIT_HEAD_FILE when its key was given up. */
export interface NewHead {
  /** Where the file under the lost key is now; null: there was none. */
  readonly keptAs: string | null;
  /** Why the new one was not written; null: it was, or none is set. */
  readonly fault: string | null;
  /** Whether other instances have files of their own. */
  readonly isShared: boolean;
}

export type AuditReader = Pick<
  Store,
  'readAudit' | 'verifyAudit' | 'containsHead' | 'knowsHead' | 'isBehind'
>;

/** A receiver of webhooks, without what may be a secret in its address. */
export interface ListedReceiver {
  readonly client: string;
  readonly receiver: string;
  readonly host: string;
}

/** What somebody has changed in the clients file, and why. */
export interface ClientRow {
  readonly action: 'client.added' | 'client.changed' | 'client.removed';
  readonly client: string;
  readonly reason: Reason | null;
}

/** What the commands work with. */
export interface CommandContext {
  readonly random: Random;
  /** Runs the service, with its flags, until it is told to stop. */
  readonly start: (flags: readonly string[]) => Promise<void>;
  /** Runs simulator mode with a store that is deleted at the end. @throws ConfigError */
  readonly develop: (flags: readonly string[], isJson: boolean) => Promise<void>;
  readonly print: (line: string) => void;
  /** Prints what can be shown this once only. @throws Error where the output did not take it */
  readonly deliver: (text: string) => Promise<void>;
  /** Whether the output is a file that has something already. */
  readonly isAppending: () => boolean;
  /** Prints what is wrong, and makes the program end with an exit code that scripts can check. */
  readonly fail: (line: string, exitCode?: number) => void;
  /** The same of wrong arguments, with the exit code for them. */
  readonly misuse: (line: string) => void;
  /**
   * Opens the store, while the service runs or not, and checks its mode, provider and keys. Each row
   * of the audit log that is written meanwhile has whoever runs the command, and the reason.
   */
  readonly withStore: (
    work: (store: Store, now: Ms) => Promise<void>,
    reason?: Reason | null,
  ) => Promise<void>;
  /** Opens the store whatever its keys, mode and provider are, to look at its audit log. */
  readonly withLog: (work: (log: AuditReader, now: Ms) => Promise<void>) => Promise<void>;
  /** The file that keeps where a reader of the audit log has got to. */
  readonly cursorFile: (path: string) => Promise<CursorFile>;
  readonly pause: (ms: Ms) => Promise<void>;
  /** Everything about a user. Writes to the audit log that it was handed out. */
  readonly exportUser: (store: Store, user: User, now: Ms) => Promise<ExportedUser>;
  /**
   * Changes the entries of CLIENTS_FILE, or of another file; what it would not be read with is
   * refused. `before` is awaited between the check and the change. With `makes`, CLIENTS_FILE need not
   * be there, and the edit gets no entry. `row` is what the audit log has of it: of CLIENTS_FILE, and
   * not before a first start. Where it can't be written, that is told. @returns the file
   * @throws Error that says what to do; the file is unchanged then
   */
  readonly editClients: (
    file: string | undefined,
    edit: (entries: readonly unknown[]) => readonly unknown[],
    how: {
      readonly before?: () => Promise<void>;
      readonly makes?: true;
      readonly row: ClientRow;
    },
  ) => Promise<string>;
  /** Whether the clients file, or the mode without one, has this application. @throws Error */
  readonly isClient: (id: string) => Promise<boolean>;
  /** Those of CLIENTS_FILE, or of another file; null where none is set. @throws Error */
  readonly clients: (file: string | undefined) => Promise<readonly Client[] | null>;
  /** Those of the clients file. @throws Error */
  readonly receivers: () => Promise<readonly ListedReceiver[]>;
  /** Makes a link to the pages for operators. @returns its address; null where they are off */
  readonly operatorLink: (store: Store, role: Role, now: Ms) => Promise<string | null>;
  /**
   * Instances that write with another key than that of the settings, or the service on the folder;
   * empty when none does.
   */
  readonly writersWithOtherKey: () => Promise<string>;
  /** Whether this mode makes calls to a provider, which are recorded. */
  readonly recordsCalls: () => Promise<boolean>;
  /** New keys that sign ID tokens, one for each algorithm. */
  readonly newSigningKeys: () => Promise<readonly unknown[]>;
  /** Shares the store with the service while it ends many tokens. */
  readonly revokeAll: (store: Store, scope: RevocationScope, at: Ms) => Promise<RevocationCounts>;
  /** `keepsOut`: whether the person may not come back; null when nobody has decided. */
  readonly eraseUser: (
    store: Store,
    user: User,
    how: { readonly keepsOut: boolean | null; readonly at: Ms },
  ) => Promise<Erasure>;
  /**
   * Overwrites what was deleted in the files of the store, once no command has it open.
   * @returns a sentence that says what remains to be done
   */
  readonly compact: () => Promise<string>;
  /** The next line of standard input; null after the last one. A hidden one is not shown. */
  readonly ask: (question: string, how?: AskHow) => Promise<string | null>;
  /** Whether a person can be asked: input and messages are those of a terminal. */
  readonly isInteractive: boolean;
  /** What a command begins with where npm has found the programs, and a shell would not: `npx `. */
  readonly runner: string;
  /** Prints what is no result. */
  readonly tell: (line: string) => void;
  /** Writes what a first start needs. @throws SetUpError that says what keeps it from writing */
  readonly setUp: (
    request: SetUpRequest,
    context: Pick<CommandContext, 'random' | 'ask' | 'tell' | 'deliver' | 'runner'>,
  ) => Promise<void>;
  /**
   * Opens a store whose key is lost. A file only while no service uses it; with a database server
   * `alone` runs a change only while no instance uses it. It writes AUDIT_HEAD_FILE anew.
   */
  readonly withLostStore: (work: LostStoreWork, reason: Reason | null) => Promise<void>;
  /** Brings the schema of the database up to date. @throws Error that says what to do */
  readonly migrate: () => Promise<void>;
  /** Copies the store into a new file. @throws Error */
  readonly backUp: (file: string) => Promise<void>;
  /** Makes a backup in a folder, tries a restore of it, and removes old ones. @throws Error */
  readonly keepBackup: (folder: string, rotation: Rotation) => Promise<KeptBackup>;
  /**
   * Replaces the store by a backup; only while no service uses it. @throws Error that says what to
   * do
   */
  readonly restore: (file: string, reason: Reason | null) => Promise<Restored>;
  /**
   * Ends everything that is open in a database that was restored from a backup; only while no
   * service uses it. @throws Error that says what to do
   */
  readonly endRestored: (database: string, reason: Reason | null) => Promise<EndedInDatabase>;
  /** Moves the store to the other engine; only while no service uses it. @throws Error */
  readonly move: (to: string) => Promise<MovedTo>;
  /** Looks at everything around the service, with wrong settings too. Writes nothing. */
  readonly examine: () => Promise<readonly Finding[]>;
  /** Compares a provider with the simulator. @throws ConfigError for wrong settings */
  readonly compare: (wanted: ComparisonRequest) => Promise<Comparison>;
  /** Where the store of the settings is, in words: a folder or a database. */
  readonly storePlace: () => Promise<string>;
  /** `AUDIT_HEAD_FILE`; null when none is set. */
  readonly headFile: () => Promise<HeadFile | null>;
}

/** Adds one command, with its subcommands, to the program. */
export type AddCommand = (program: Command, context: CommandContext) => void;

/** Writes that a task of the operator has gone well, for whoever watches that it does. */
export async function recordSuccess(
  { withStore }: Pick<CommandContext, 'withStore'>,
  task: Task,
  more: Pick<AuditEvent, 'detail'> = {},
): Promise<void> {
  await withStore((store, at) => store.recordEvent({ at, action: SUCCESS_OF[task], ...more }));
}

export function readUserId(text: string): UserId {
  const id = /^\d+$/.test(text) ? parseUserId(Number(text)) : null;
  if (id === null) throw new InvalidArgumentError('A user id is a positive number.');
  return id;
}

export function readAttemptId(text: string): AttemptId {
  const id = parseAttemptId(text);
  if (id === null) throw new InvalidArgumentError('An attempt id is a UUID.');
  return id;
}

export function readCount(text: string): number {
  const count = Number(text);
  if (/^\d{1,9}$/.test(text)) return count;
  throw new InvalidArgumentError('It must be a number of at most nine digits.');
}
