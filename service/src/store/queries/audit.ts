import { sql, type RawBuilder } from 'kysely';
import { HASHED_COLUMNS } from '../audit-rows.ts';
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
 * The log is appended to by these alone. Each reads the end of the chain in its own statement, in
 * the transaction of the change: what another process has written is there, and nothing can come in
 * between. `audit_hash` is a function that the writer lends to the database.
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
    /** Both in one read, so that they belong to the same moment. */
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
 * A lost head joins as null, which the table refuses, and the change with it: what can't be written
 * down does not happen.
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

/** After the change, so that the user and the reason are there. */
function entryOfAttempt(bind: Bind<OfAttempt>) {
  return sql`select ${bind('at')} as at, ${bind('action')} as action, attempt_id, user_id, client,
    null as person_digest, end_reason as detail, null as count
    from attempts where attempt_id = ${bind('attempt_id')}`;
}

/** The attempt of a token may be gone; the token knows its name. */
function entryOfToken(bind: Bind<OfToken>) {
  return sql`select ${bind('at')} as at, ${bind('action')} as action, attempt_id, user_id, client,
    null as person_digest, null as detail, null as count
    from api_tokens where token_id = ${bind('token_id')}`;
}

/** `changes()` is what the statement before it has changed. */
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
