import { AuditChain, type AuditVerdict } from '../../domain/audit-chain.ts';
import {
  auditHash,
  type AuditAnchor,
  type AuditHead,
  type AuditQuery,
  type AuditRow,
} from '../../domain/audit.ts';
import {
  auditAnchorFromRow,
  auditEndFromRow,
  auditFromRow,
  auditLinkFromRow,
  unloggedFromRow,
} from '../sql/rows/audit.ts';
import { parseDigest } from '../../domain/digest.ts';
import { statements } from './statements.generated.ts';
import type { SqliteReader } from './sqlite-reader.ts';

/** The number of rows read at once; hashing them takes a few milliseconds. */
const PAGE = 1000;

/** Reads the audit log. The units write its rows, together with the changes. */
export class SqliteAudit {
  readonly #reader: SqliteReader;
  readonly #keys: readonly Uint8Array[];

  /** The current key first, then earlier ones. */
  constructor(reader: SqliteReader, keys: readonly Uint8Array[]) {
    this.#reader = reader;
    this.#keys = keys;
  }

  rows({ after, limit, attemptId }: AuditQuery): AuditRow[] {
    const rows =
      attemptId === undefined
        ? this.#reader.all(statements.selectAudit, { after, limit })
        : this.#reader.all(statements.selectAuditOfAttempt, {
            after,
            limit,
            attempt_id: attemptId,
          });
    return rows.map((row) => auditFromRow(row));
  }

  /** The head as stored, without verification. */
  head(): AuditHead {
    const { head } = auditEndFromRow(this.#reader.get(statements.selectAuditEnd, {}));
    const hash = head === null ? null : parseDigest(head.hash);
    if (head === null || hash === null) throw new Error('the head of the audit log is lost');
    return { count: head.count, hash };
  }

  knowsLast(): boolean {
    const count = auditEndFromRow(this.#reader.get(statements.selectAuditEnd, {})).head?.count ?? 0;
    const [last] = this.#reader.all(statements.selectAudit, { after: count - 1, limit: 1 });
    if (last === undefined) return true;
    const { values, hash } = auditLinkFromRow(last);
    return this.#keys.some((key) => auditHash(key, values) === hash);
  }

  /** Whether the log has this row unchanged, or the service removed the row because of its age. */
  contains({ count, hash }: AuditHead): boolean {
    const anchor = this.#anchor();
    if (anchor !== null && count < anchor.count) return true;
    if (anchor !== null && count === anchor.count) return hash === anchor.hash;
    const [row] = this.#reader.all(statements.selectAudit, { after: count - 1, limit: 1 });
    return row?.['sequence'] === count && row['hash'] === hash;
  }

  /**
   * Yields null after each page, and returns the verdict. Rows that are written meanwhile are left
   * out.
   */
  *walk(): Generator<AuditVerdict | null, AuditVerdict> {
    const anchor = this.#anchor();
    if (anchor === null) return { ok: false, sequence: 0, fault: 'anchor_changed' };
    const chain = new AuditChain(this.#keys, anchor);
    const end = auditEndFromRow(this.#reader.get(statements.selectAuditEnd, {}));
    const count = end.head?.count ?? 0;
    for (let after = anchor.count; after < count; after += PAGE) {
      const page = { after, limit: Math.min(PAGE, count - after) };
      for (const row of this.#reader.all(statements.selectAudit, page)) {
        const broken = chain.add(auditLinkFromRow(row));
        if (broken === null) continue;
        // The service may have removed rows meanwhile; then the verification starts again.
        return this.#anchor()?.count === anchor.count ? broken : yield* this.walk();
      }
      yield null;
    }
    const verdict = chain.verdict(end);
    return verdict.ok ? (this.#unlogged() ?? verdict) : verdict;
  }

  #anchor(): AuditAnchor | null {
    return auditAnchorFromRow(this.#reader.get(statements.selectAuditAnchor, {}), this.#keys);
  }

  #unlogged(): AuditVerdict | null {
    const row = this.#reader.get(statements.selectUnlogged, {});
    return row === null ? null : { ok: false, fault: 'unlogged', unlogged: unloggedFromRow(row) };
  }
}
