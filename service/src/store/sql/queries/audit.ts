import { sql } from 'kysely';
import type { AuditLogRow } from '../schema.ts';
import { AUDIT_COLUMNS } from './columns.ts';
import { rowOf } from './row-of.ts';
import { prepare, type Bind, type Dialect } from './prepare.ts';

interface AfterValues {
  readonly after: number;
  readonly limit: number;
}

/**
 * The only statements that append to the log. An engine reads the head in the transaction of the
 * changes, so that it sees the rows of other processes, and no row can come in between.
 */
export function auditQueries(dialect: Dialect) {
  const { db } = dialect;
  return {
    selectAuditHead: prepare(dialect, () =>
      db.selectFrom('audit_head').select(['sequence', 'hash']).where('id', '=', sql.lit(1)),
    ),
    insertAudit: insertAudit(dialect),
    selectAudit: prepare(dialect, (bind: Bind<AfterValues>) => rowsAfter(dialect, bind)),
    selectAuditOfAttempt: prepare(
      dialect,
      (bind: Bind<AfterValues & { readonly attempt_id: string }>) =>
        rowsAfter(dialect, bind).where('attempt_id', '=', bind('attempt_id')),
    ),
    selectLastAudit: prepare(dialect, (bind: Bind<Pick<AuditLogRow, 'action'>>) =>
      db
        .selectFrom('audit_log')
        .select(AUDIT_COLUMNS)
        .where('action', '=', bind('action'))
        .orderBy('sequence', 'desc')
        .limit(sql.lit(1)),
    ),
    /** One statement, so that both values are from the same moment. */
    selectAuditEnd: prepare(dialect, () =>
      db
        .selectFrom('audit_head')
        .select(['sequence', 'hash'])
        .select(sql<number | null>`(select max(sequence) from audit_log)`.as('last'))
        .where('id', '=', sql.lit(1)),
    ),
  };
}

function insertAudit(dialect: Dialect) {
  return prepare(dialect, (bind: Bind<AuditLogRow>) =>
    dialect.db
      .insertInto('audit_log')
      .columns(AUDIT_COLUMNS)
      .expression(
        rowOf(
          dialect,
          AUDIT_COLUMNS.map((column) => bind(column).as(column)),
        ),
      ),
  );
}

function rowsAfter({ db }: Dialect, bind: Bind<AfterValues>) {
  return db
    .selectFrom('audit_log')
    .select(AUDIT_COLUMNS)
    .where('sequence', '>', bind('after'))
    .orderBy('sequence')
    .limit(bind('limit'));
}
