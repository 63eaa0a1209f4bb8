import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { KeptHead } from '../domain/audit-head.ts';
import { parseUserId, type UserId } from '../domain/user.ts';
import type { Ms } from '../domain/time.ts';
import type { RecoveryCounts } from '../ports/oversight.ts';
import type { Random } from '../ports/runtime.ts';
import type { Store } from '../ports/store.ts';

/** The end of the audit log, as it is kept outside the store. */
export interface HeadFile {
  readonly path: string;
  /** Null when there is no file. @throws Error when it was not written by this service */
  read(): KeptHead | null;
  write(head: KeptHead): void;
}

export interface Restored extends RecoveryCounts {
  readonly hadStore: boolean;
}

/** What the commands work with. */
export interface CommandContext {
  readonly random: Random;
  readonly print: (line: string) => void;
  /** Says what is wrong, and makes the program end with a code that scripts see. */
  readonly fail: (line: string) => void;
  /** Beside the service; held to the mode, the provider and the keys that it was written with. */
  readonly withStore: (work: (store: Store, now: Ms) => Promise<void>) => Promise<void>;
  /** Whose key is lost, and only while no service runs on it. */
  readonly withLostStore: CommandContext['withStore'];
  /** Into a new file. @throws Error */
  readonly backUp: (file: string) => void;
  /** Only while no service runs. @throws Error that says what to do */
  readonly restore: (file: string) => Promise<Restored>;
  /** Which store the settings lead to. */
  readonly dataDir: () => string;
  /** `AUDIT_HEAD_FILE`; null where none is set. */
  readonly headFile: () => HeadFile | null;
}

/** Adds one command, with its own below it, to the program. */
export type AddCommand = (program: Command, context: CommandContext) => void;

export function readUserId(text: string): UserId {
  const id = /^\d+$/.test(text) ? parseUserId(Number(text)) : null;
  if (id === null) throw new InvalidArgumentError('A user id is a positive number.');
  return id;
}

export function readCount(text: string): number {
  const count = Number(text);
  if (/^\d{1,9}$/.test(text)) return count;
  throw new InvalidArgumentError('It must be a number.');
}
