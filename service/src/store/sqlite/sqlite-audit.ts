import { AuditChain, type AuditVerdict } from '../../domain/audit-chain.ts';
import { auditHash, type AuditQuery, type AuditRow } from '../../domain/audit.ts';
import { auditEndFromRow, auditFromRow, auditLinkFromRow } from '../audit-rows.ts';
import { statements } from '../statements.generated.ts';
import type { SqliteReader } from './sqlite-reader.ts';

/** Rows that are read at once: a few milliseconds of hashing. */
const PAGE = 1000;

/** Reads the audit log. Rows are written by the units, beside what they are about. */
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

  knowsLast(): boolean {
    const count = auditEndFromRow(this.#reader.get(statements.selectAuditEnd, {})).head?.count ?? 0;
    const [last] = this.#reader.all(statements.selectAudit, { after: count - 1, limit: 1 });
    if (last === undefined) return true;
    const { values, hash } = auditLinkFromRow(last);
    return this.#keys.some((key) => auditHash(key, values) === hash);
  }

  /** Gives null after each page, and the verdict in the end. What is written meanwhile is left out. */
  *walk(): Generator<AuditVerdict | null, AuditVerdict> {
    const chain = new AuditChain(this.#keys);
    const end = auditEndFromRow(this.#reader.get(statements.selectAuditEnd, {}));
    const count = end.head?.count ?? 0;
    for (let after = 0; after < count; after += PAGE) {
      const page = { after, limit: Math.min(PAGE, count - after) };
      for (const row of this.#reader.all(statements.selectAudit, page)) {
        const broken = chain.add(auditLinkFromRow(row));
        if (broken !== null) return broken;
      }
      yield null;
    }
    return chain.verdict(end);
  }
}
