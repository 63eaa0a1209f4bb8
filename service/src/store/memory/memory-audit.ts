import { AuditChain, type AuditVerdict } from '../../domain/audit-chain.ts';
import {
  auditHash,
  EMPTY_AUDIT,
  type AuditHead,
  type AuditQuery,
  type AuditRow,
} from '../../domain/audit.ts';
import { NO_DIGEST, parseDigest } from '../../domain/digest.ts';
import type { AuditCut } from '../../ports/store/index.ts';
import { auditFromRow, auditLinkFromRow, auditToRow, HASHED_COLUMNS } from '../sql/rows/audit.ts';
import type { NewAuditRow } from '../sql/rows/audit.ts';
import type { AuditLogRow } from '../sql/schema.ts';

/** The audit log of the memory store: the same rows and hashes as in a database. */
export class MemoryAudit {
  readonly #rows: AuditLogRow[] = [];
  readonly #key: Uint8Array;
  #head: AuditHead = EMPTY_AUDIT;
  #anchor: AuditHead = EMPTY_AUDIT;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  append(entry: NewAuditRow): void {
    const sequence = this.#head.count + 1;
    const row = { sequence, ...auditToRow(entry), previous: this.#head.hash };
    const values = HASHED_COLUMNS.map((column) => row[column]);
    this.#head = { count: sequence, hash: auditHash(this.#key, values) };
    this.#rows.push({ ...row, hash: this.#head.hash });
  }

  read({ after, limit, attemptId }: AuditQuery): AuditRow[] {
    return this.#rows
      .filter((row) => row.sequence > after)
      .filter((row) => attemptId === undefined || row.attempt_id === attemptId)
      .slice(0, limit)
      .map((row) => auditFromRow({ ...row }));
  }

  get head(): AuditHead {
    return this.#head;
  }

  contains({ count, hash }: AuditHead): boolean {
    const { count: first, hash: before } = this.#anchor;
    if (count <= first) return count < first || hash === before;
    return this.#rows.some((row) => row.sequence === count && row.hash === hash);
  }

  cut({ before, limit, at }: AuditCut): number {
    const stays = this.#rows.findIndex((row) => row.at >= before);
    const cuttable = stays === -1 ? this.#rows.length : stays;
    const count = Math.min(cuttable, limit, Math.max(this.#rows.length - 1, 0));
    const last = this.#rows.splice(0, count).at(-1);
    if (last === undefined) return 0;
    this.#anchor = { count: last.sequence, hash: parseDigest(last.hash) ?? NO_DIGEST };
    this.append({ at, action: 'audit.cut', count });
    return count;
  }

  /** Only this class can remove rows, so every fact in the store has its row. */
  verify(): AuditVerdict {
    const chain = new AuditChain([this.#key], this.#anchor);
    for (const row of this.#rows) {
      const broken = chain.add(auditLinkFromRow({ ...row }));
      if (broken !== null) return broken;
    }
    return chain.verdict({ head: this.#head, last: this.#head.count });
  }
}
