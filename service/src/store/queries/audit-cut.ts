import { sql } from 'kysely';
import { prepare, type Bind, type Queries } from './prepare.ts';

interface CutValues {
  readonly before: number;
  readonly limit: number;
}

/** The front of the audit log goes behind a proof that it was cut by us. */
export function auditCutQueries(db: Queries) {
  return {
    selectAuditAnchor: prepare(() =>
      db.selectFrom('audit_anchor').selectAll().where('id', '=', sql.lit(1)),
    ),
    moveAuditAnchor: prepare((bind: Bind<CutValues>) =>
      db
        .updateTable('audit_anchor')
        .from(newAnchor(bind).as('next'))
        .set({
          sequence: sql.ref<number>('next.sequence'),
          hash: sql.ref<string>('next.hash'),
          at: bind('before'),
          proof: sql<string>`audit_hash('anchor', next.sequence, next.hash, ${bind('before')})`,
        })
        .where('id', '=', sql.lit(1))
        .returning('audit_anchor.sequence as sequence'),
    ),
    deleteAuditFront: prepare(() =>
      db
        .deleteFrom('audit_log')
        .where(
          'sequence',
          '<=',
          db.selectFrom('audit_anchor').select('sequence').where('id', '=', sql.lit(1)),
        ),
    ),
  };
}

interface NewAnchor {
  readonly sequence: number;
  readonly hash: string;
}

/**
 * The last row that may go: before the first one that is young enough to stay, and never the end of
 * the log, which the next row has to follow. No row: nothing is to be cut.
 */
function newAnchor(bind: Bind<CutValues>) {
  return sql<NewAnchor>`(
    select sequence, hash from audit_log where sequence = min(
      (select sequence - 1 from audit_head where id = 1),
      (select sequence + ${bind('limit')} from audit_anchor where id = 1),
      coalesce(
        (select sequence - 1 from audit_log where at >= ${bind('before')}
          order by sequence limit 1),
        (select sequence - 1 from audit_head where id = 1))
    ) and sequence > (select sequence from audit_anchor where id = 1))`;
}
