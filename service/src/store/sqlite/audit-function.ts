import type { DatabaseSync } from 'node:sqlite';
import { auditHash } from '../../domain/audit.ts';
import { valueOf } from '../sql/rows/audit.ts';

/**
 * Registers the SQL function `audit_hash`, with which statements compute the hash of an audit row.
 */
export function registerAuditHash(database: DatabaseSync, key: Uint8Array): void {
  database.function('audit_hash', { deterministic: true, varargs: true }, (...values) =>
    auditHash(
      key,
      values.map((value) => valueOf(value)),
    ),
  );
}
