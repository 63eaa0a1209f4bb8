import { auditHash } from '../../../audit/audit.ts';
import { hashedIn } from '../../sql/audit-rows.ts';
import type { NewAuditColumns } from '../../sql/schema.ts';
import type { AuditLogRow } from '../../sql/schema.ts';
import type { SqlRow } from '../../sql/statement.ts';
import type { Call } from '../connections/connection.ts';
import { statementNamed } from './statement-named.ts';
import { sets } from '../statements.generated.ts';

/**
 * Reads the head and keeps others from adding rows until the transaction ends. It is the last lock
 * that a transaction takes, because all of them need it.
 */
export function lockHeadCall(): Call {
  const sql = `${statementNamed('selectAuditHead').sql} for update`;
  return { name: 'selectAuditHead:locked', sql, values: [] };
}

/**
 * Appends the entries to the log, each chained to the one before it.
 * @param head the row that was found by the call above
 * @throws Error if the head is lost: no change happens without its row
 */
export function appendCall(
  entries: readonly NewAuditColumns[],
  head: SqlRow | undefined,
  key: Uint8Array,
): Call {
  const rows = chained(entries, head, key);
  const { parameters, sql } = sets.insertAudit;
  const values = parameters.map((column) => rows.map((row) => row[column]));
  return { name: 'insertAudit:all', sql, values };
}

function chained(
  entries: readonly NewAuditColumns[],
  head: SqlRow | undefined,
  key: Uint8Array,
): AuditLogRow[] {
  const { sequence: last, hash } = head ?? {};
  if (typeof last !== 'number' || typeof hash !== 'string') {
    throw new Error('the head of the audit log is lost');
  }
  let previous = hash;
  return entries.map((entry, index) => {
    const row = { ...entry, sequence: last + index + 1, previous };
    previous = auditHash(key, hashedIn(row));
    return { ...row, hash: previous };
  });
}
