import type { DatabaseSync } from 'node:sqlite';
import { auditHash } from '../../domain/audit.ts';
import { valueOf } from '../audit-rows.ts';

/** Lends a database what it needs to chain a row of the audit log inside a statement. */
export function lendAuditHash(database: DatabaseSync, key: Uint8Array): void {
  database.function('audit_hash', { deterministic: true, varargs: true }, (...values) =>
    auditHash(
      key,
      values.map((value) => valueOf(value)),
    ),
  );
}
