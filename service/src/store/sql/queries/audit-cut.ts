import { sql } from 'kysely';
import { GIVES_UP } from '../../../audit/audit-chain.ts';
import type { AuditLogRow } from '../schema.ts';
import { AUDIT_COLUMNS } from './columns.ts';
import { prepare, type Bind, type Dialect } from './prepare.ts';

interface CutValues {
  readonly before: number;
  readonly limit: number;
}

interface AnchorValues extends Pick<AuditLogRow, 'sequence' | 'hash'> {
  readonly before: number;
  readonly proof: string;
}

const ONLY = sql.lit(1);

/** Removes the front of the log, and stores a proof that this service removed it. */
export function auditCutQueries(dialect: Dialect) {
  const { db } = dialect;
  return {
    selectAuditAnchor: prepare(dialect, () =>
      db
        .selectFrom('audit_anchor')
        .select(['id', 'sequence', 'hash', 'at', 'proof'])
        .where('id', '=', ONLY),
    ),
    selectNextAnchor: selectNextAnchor(dialect),
    selectGivingUp: prepare(dialect, () => selectGivingUp(dialect)),
    moveAuditAnchor: moveAuditAnchor(dialect),
    deleteAuditFront: prepare(dialect, () =>
      db
        .deleteFrom('audit_log')
        .where(
          'sequence',
          '<=',
          db.selectFrom('audit_anchor').select('sequence').where('id', '=', ONLY),
        ),
    ),
  };
}

/**
 * The number of the last row that is removed: it comes before the first row that is young enough to
 * stay, and it is never the log's last row, which the next row must follow. Where nothing is old
 * enough it is not above that of the anchor.
 */
function selectNextAnchor(dialect: Dialect) {
  return prepare(dialect, (bind: Bind<CutValues>) =>
    dialect.db.selectNoFrom(
      sql<number | null>`${sql.raw(dialect.least)}(
        (select sequence - 1 from audit_head where id = 1),
        (select sequence + ${bind('limit')} from audit_anchor where id = 1),
        coalesce(
          (select sequence - 1 from audit_log where at >= ${bind('before')}
            order by sequence limit 1),
          (select sequence - 1 from audit_head where id = 1)))`.as('sequence'),
    ),
  );
}

/** The last row that gives up rows before it. An engine uses its index only for this action. */
function selectGivingUp({ db }: Dialect) {
  return db
    .selectFrom('audit_log')
    .select(AUDIT_COLUMNS)
    .where('action', '=', sql.lit(GIVES_UP))
    .orderBy('sequence', 'desc')
    .limit(sql.lit(1));
}

/** Only forward, and only to a row of the log. */
function moveAuditAnchor(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<AnchorValues>) =>
    db
      .updateTable('audit_anchor')
      .set({
        sequence: bind('sequence'),
        hash: bind('hash'),
        at: bind('before'),
        proof: bind('proof'),
      })
      .where('id', '=', ONLY)
      .where('sequence', '<', bind('sequence'))
      .where((anchor) =>
        anchor.exists(
          db
            .selectFrom('audit_log')
            .select('audit_log.sequence')
            .where('audit_log.sequence', '=', bind('sequence'))
            .where('audit_log.hash', '=', bind('hash')),
        ),
      )
      .returning('sequence'),
  );
}
