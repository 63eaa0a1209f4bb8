import type { StatementSync } from 'node:sqlite';
import { auditHash } from '../../audit/audit.ts';
import { HASHED_COLUMNS, type NewAuditColumns } from '../sql/rows/audit.ts';

interface Head {
  readonly sequence: number;
  readonly hash: string;
}

/**
 * Appends rows to the audit log, each chained to the one before it. The head is read once in a
 * transaction: until its end nobody else can write.
 */
export class AuditLog {
  readonly #prepare: (name: string) => StatementSync;
  readonly #key: Uint8Array;
  #head: Head | null = null;

  constructor(prepare: (name: string) => StatementSync, key: Uint8Array) {
    this.#prepare = prepare;
    this.#key = key;
  }

  /** Another transaction, or one that is run again: the head is read anew. */
  forgetHead(): void {
    this.#head = null;
  }

  /** @throws Error if the head is lost: no change happens without its row */
  append(entry: NewAuditColumns): void {
    const head = this.#head ?? this.#readHead();
    const row = { ...entry, sequence: head.sequence + 1, previous: head.hash };
    const values = HASHED_COLUMNS.map((column) => row[column]);
    const hash = auditHash(this.#key, values);
    // The columns of `insertAudit`, in its order.
    this.#prepare('insertAudit').run(...values, hash);
    this.#head = { sequence: row.sequence, hash };
  }

  #readHead(): Head {
    const { sequence, hash } = this.#prepare('selectAuditHead').get() ?? {};
    if (typeof sequence !== 'number' || typeof hash !== 'string') {
      throw new Error('the head of the audit log is lost');
    }
    return { sequence, hash };
  }
}
