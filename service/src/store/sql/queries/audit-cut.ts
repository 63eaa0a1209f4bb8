import { sql } from 'kysely';
import { prepare, type Bind, type Queries } from './prepare.ts';

interface CutValues {
  readonly before: number;
  readonly limit: number;
}

/** Removes the front of the log, and stores a proof that this service removed it. */
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
 * The last row that is removed: it comes before the first row that is young enough to stay, and it
 * is never the log's last row, which the next row must follow. Without a result nothing is removed.
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
