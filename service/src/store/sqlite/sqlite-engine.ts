import { Refusal } from '../../errors/refusal.ts';
import type { StoreHealth } from '../ports/store.port.ts';
import { Results, type Command } from '../sql/command.ts';
import type { SqlEngine } from '../sql/engine.ts';
import type { Read } from '../sql/statement.ts';
import type { CommitThread } from './commit-thread.ts';
import type { GroupCommit } from './group-commit.ts';
import { isResult, RESULT } from './result-codes.ts';
import { SPACE_PROBE } from './space-probe.ts';
import { faultOf } from './sql-fault.ts';
import type { SqliteReader } from './sqlite-reader.ts';

type Reader = Pick<SqliteReader, 'isOpen' | 'read' | 'close'>;
type WritingEnd = Pick<CommitThread, 'flush' | 'release' | 'abandon'>;

export interface SqliteParts {
  readonly reader: Reader;
  readonly thread: WritingEnd;
  readonly writes: GroupCommit;
}

/** One database. Commands are written in groups; reads are answered from the last commit. */
export class SqliteEngine implements SqlEngine {
  readonly #reader: Reader;
  readonly #thread: WritingEnd;
  readonly #writes: GroupCommit;
  #closing: Promise<void> | null = null;

  constructor({ reader, thread, writes }: SqliteParts) {
    this.#reader = reader;
    this.#thread = thread;
    this.#writes = writes;
  }

  async run<Result>({ steps, audit, decode }: Command<Result>): Promise<Result> {
    return decode(new Results(steps, await this.#writes.submit({ steps, audit })));
  }

  async read<Result>(read: Read<Result>): Promise<Result> {
    if (!this.#reader.isOpen) throw new Refusal('storage.unavailable');
    try {
      return this.#reader.read(read);
    } catch (error) {
      const fault = faultOf(error);
      if (fault.code === null) throw error;
      if (isResult(fault.code, RESULT.corrupt, RESULT.notADatabase)) {
        this.#writes.poisonWith(fault.message);
      }
      throw new Refusal('storage.unavailable', { cause: error });
    }
  }

  health(): StoreHealth {
    const closed = this.#closing === null ? null : 'the store is closed';
    const reason = this.#writes.poison ?? closed;
    if (reason !== null) return { ready: false, reason };
    const { lack, hold } = this.#writes;
    if (lack !== null) return { ready: false, reason: lack, isFull: true };
    return hold === null ? { ready: true } : { ready: false, reason: hold, isStalled: true };
  }

  async recover(): Promise<void> {
    const { lack, hold, poison } = this.#writes;
    if ((lack === null && hold === null) || poison !== null) return;
    await this.#writes.submit(SPACE_PROBE).catch(() => undefined);
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  /**
   * The reader stays open until the log has been moved into the database file: when the last
   * connection closes, SQLite moves the log again and deletes it. Where there is no space to move
   * it, the log is kept, with every commit in it.
   */
  async #shutDown(): Promise<void> {
    await this.#writes.close();
    if (this.#writes.poison === null) await this.#thread.flush();
    this.#reader.close();
    await (this.#writes.poison === null ? this.#thread.release() : this.#thread.abandon());
  }
}
