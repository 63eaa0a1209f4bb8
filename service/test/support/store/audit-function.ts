import type { DatabaseSync } from 'node:sqlite';
import { auditHash } from '../../../src/audit/audit.ts';
import { valueOf } from '../../../src/store/sql/audit-rows.ts';

/** The hash of an audit row as an SQL function, for forging rows with a key. */
export function registerAuditHash(database: DatabaseSync, key: Uint8Array): void {
  database.function('audit_hash', { deterministic: true, varargs: true }, (...values) =>
    auditHash(
      key,
      values.map((value) => valueOf(value)),
    ),
  );
}
