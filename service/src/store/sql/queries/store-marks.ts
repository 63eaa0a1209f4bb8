import { sql } from 'kysely';
import { SUCCESS_OF, type AuditAction } from '../../../audit/audit.ts';
import { AUDIT_COLUMNS } from './columns.ts';
import { prepare, type Dialect } from './prepare.ts';

/** An engine uses its index only if the migrations have exactly this list. */
const MARKS = ['store.restored', 'store.behind'] as const satisfies readonly AuditAction[];

const TASK_ACTIONS = Object.values(SUCCESS_OF);

export function storeMarkQueries(dialect: Dialect) {
  return {
    selectStoreMark: prepare(dialect, () =>
      dialect.db
        .selectFrom('audit_log')
        .select(AUDIT_COLUMNS)
        .where(
          'action',
          'in',
          MARKS.map((mark) => sql.lit(mark)),
        )
        .orderBy('sequence', 'desc')
        .limit(sql.lit(1)),
    ),
    selectLastOfTasks: prepare(dialect, () =>
      dialect.db
        .selectFrom('audit_log')
        .select(AUDIT_COLUMNS)
        .where('sequence', 'in', (inner) =>
          inner
            .selectFrom('audit_log')
            .select((row) => row.fn.max('sequence').as('last'))
            .where(
              'action',
              'in',
              TASK_ACTIONS.map((action) => sql.lit(action)),
            )
            .groupBy('action'),
        ),
    ),
  };
}
