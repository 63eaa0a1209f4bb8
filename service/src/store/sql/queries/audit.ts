import { sql, type RawBuilder } from 'kysely';
import { HASHED_COLUMNS } from '../rows/audit.ts';
import type { AuditLogRow } from '../schema.ts';
import { prepare, type Bind, type Queries } from './prepare.ts';

type Entry = Omit<AuditLogRow, 'sequence' | 'previous' | 'hash'>;
type Moment = Pick<Entry, 'at' | 'action'>;

interface OfAttempt extends Moment {
  readonly attempt_id: string;
}

interface OfToken extends Moment {
  readonly token_id: string;
}

interface OfScope extends Moment {
  readonly user_id: number | null;
  readonly client: string | null;
  readonly detail: string | null;
}

interface AfterValues {
  readonly after: number;
  readonly limit: number;
}

/**
 * The only statements that append to the log. Each reads the end of the chain itself, in the
 * transaction of the change, so that it sees the rows of other processes and no row can come in
 * between. `audit_hash` is an SQL function that the writer defines.
 */
export function auditQueries(db: Queries) {
  return {
    appendAudit: prepare((bind: Bind<Entry>) => append(db, entryOfValues(bind))),
    appendAuditOfAttempt: prepare((bind: Bind<OfAttempt>) => append(db, entryOfAttempt(bind))),
    appendAuditOfToken: prepare((bind: Bind<OfToken>) => append(db, entryOfToken(bind))),
    appendAuditOfScope: prepare((bind: Bind<OfScope>) => append(db, entryOfScope(bind))),
    selectAudit: prepare((bind: Bind<AfterValues>) => rowsAfter(db, bind)),
    selectAuditOfAttempt: prepare((bind: Bind<AfterValues & { readonly attempt_id: string }>) =>
      rowsAfter(db, bind).where('attempt_id', '=', bind('attempt_id')),
    ),
    /** One statement, so that both values are from the same moment. */
    selectAuditEnd: prepare(() =>
      db
        .selectFrom('audit_head')
        .select(['sequence', 'hash'])
        .select(sql<number | null>`(select max(sequence) from audit_log)`.as('last'))
        .where('id', '=', sql.lit(1)),
    ),
  };
}

/**
 * If the head is lost, the sequence is null; the table refuses that, and the change is rolled back:
 * no change happens without its row.
 */
function append(db: Queries, entry: RawBuilder<unknown>) {
  const values = sql.join(HASHED_COLUMNS.map((column) => SOURCES[column]));
  return db
    .insertInto('audit_log')
    .columns([...HASHED_COLUMNS, 'hash'])
    .expression(
      sql`select ${values}, audit_hash(${values})
        from (${entry}) as entry left join audit_head as head on head.id = 1`,
    );
}

const SOURCES = {
  sequence: sql`head.sequence + 1`,
  at: sql`entry.at`,
  action: sql`entry.action`,
  attempt_id: sql`entry.attempt_id`,
  user_id: sql`entry.user_id`,
  client: sql`entry.client`,
  person_digest: sql`entry.person_digest`,
  detail: sql`entry.detail`,
  count: sql`entry.count`,
  previous: sql`head.hash`,
} as const satisfies Record<(typeof HASHED_COLUMNS)[number], RawBuilder<unknown>>;

function entryOfValues(bind: Bind<Entry>) {
  return sql`select ${bind('at')} as at, ${bind('action')} as action,
    ${bind('attempt_id')} as attempt_id, ${bind('user_id')} as user_id, ${bind('client')} as client,
    ${bind('person_digest')} as person_digest, ${bind('detail')} as detail,
    ${bind('count')} as count`;
}

/** Runs after the change, so that the attempt's row has the user and the reason. */
function entryOfAttempt(bind: Bind<OfAttempt>) {
  return sql`select ${bind('at')} as at, ${bind('action')} as action, attempt_id, user_id, client,
    null as person_digest, end_reason as detail, null as count
    from attempts where attempt_id = ${bind('attempt_id')}`;
}

/** Uses the attempt's id in the token's row, because the attempt may be deleted. */
function entryOfToken(bind: Bind<OfToken>) {
  return sql`select ${bind('at')} as at, ${bind('action')} as action, attempt_id, user_id, client,
    null as person_digest, null as detail, null as count
    from api_tokens where token_id = ${bind('token_id')}`;
}

/** `changes()` is the number of rows that the previous statement changed. */
function entryOfScope(bind: Bind<OfScope>) {
  return sql`select ${bind('at')} as at, ${bind('action')} as action, null as attempt_id,
    ${bind('user_id')} as user_id, ${bind('client')} as client, null as person_digest,
    ${bind('detail')} as detail, changes() as count`;
}

function rowsAfter(db: Queries, bind: Bind<AfterValues>) {
  return db
    .selectFrom('audit_log')
    .selectAll()
    .where('sequence', '>', bind('after'))
    .orderBy('sequence')
    .limit(bind('limit'));
}
