import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { SHARED_SESSION, TELLING_MS, TOLD_AT_END } from '../../../account/openid-client.ts';
import { isChosen } from './chosen.ts';
import { OPENID_COLUMNS } from './columns.ts';
import { prepare, type Bind, type Dialect } from './prepare.ts';

export interface OneRecord {
  readonly record_digest: string;
}

interface OfUser {
  readonly user_id: number;
}

interface OfScope {
  readonly user_id: number | null;
  readonly client: string | null;
}

/** The names of a part of the records: those after `above`, up to and with `up_to`. */
interface Part {
  readonly above: string;
  readonly up_to: string;
}

interface NthValues extends OfScope {
  readonly above: string;
  readonly offset: number;
}

interface LeaseValues {
  readonly client: string;
  readonly at: number;
  readonly until: number;
  readonly limit: number;
}

const NULL = sql.lit(null);

const subjectOf = (user: RawBuilder<number | null>) =>
  sql<string>`(select users.subject from users where users.id = ${user})`;

const isInScope = (bind: Bind<OfScope>) =>
  sql<SqlBool>`(${bind('user_id')} is null or subject = ${subjectOf(bind('user_id'))})`;

const isInPart = (bind: Bind<Part>) =>
  sql<SqlBool>`record_digest > ${bind('above')} and record_digest <= ${bind('up_to')}`;

/**
 * A session that clients share could sign in to each of them again, so it ends with the revocation of
 * any.
 */
const isOfClient = (bind: Bind<OfScope>) =>
  sql<SqlBool>`(${bind('client')} is null or client = ${bind('client')}
    or model = ${sql.lit(SHARED_SESSION)})`;

/** Of what an operator ends, and of the clients that are told of it. */
export const openidEndQueries = (dialect: Dialect) => ({
  ...stopQueries(dialect),
  ...leaseQueries(dialect),
});

/**
 * What does not expire is of nobody, and what is due was of somebody. One person is found by an index;
 * a revocation by client or of all looks at every row.
 */
function stopQueries(dialect: Dialect) {
  const { db } = dialect;
  const note = (at: RawBuilder<number>) =>
    db
      .updateTable('openid_records')
      .set({
        due_at: at,
        grant_digest: NULL,
        subject: NULL,
        expires_at: sql<number>`${at} + ${sql.lit(TELLING_MS)}`,
      })
      .where('model', '=', sql.lit(TOLD_AT_END))
      .where('due_at', 'is', null)
      .where('expires_at', '>', at);
  const remove = () =>
    db.deleteFrom('openid_records').where('expires_at', 'is not', null).where('due_at', 'is', null);
  return {
    noteEndedOfUser: prepare(dialect, (bind: Bind<OfUser & { readonly at: number }>) =>
      note(bind('at')).where('subject', '=', subjectOf(bind('user_id'))),
    ),
    noteEnded: prepare(dialect, (bind: Bind<OfScope & Part & { readonly at: number }>) =>
      note(bind('at'))
        .where(isInPart(bind))
        .where(isInScope(bind))
        .where(sql<SqlBool>`(${bind('client')} is null or client = ${bind('client')})`),
    ),
    deleteOpenidOfUser: prepare(dialect, (bind: Bind<OfUser>) =>
      remove().where('subject', '=', subjectOf(bind('user_id'))),
    ),
    deleteOpenidOf: prepare(dialect, (bind: Bind<OfScope & Part>) =>
      remove().where(isInPart(bind)).where(isInScope(bind)).where(isOfClient(bind)),
    ),
    selectNthToEnd: prepare(dialect, (bind: Bind<NthValues>) =>
      db
        .selectFrom('openid_records')
        .select('record_digest')
        .where('record_digest', '>', bind('above'))
        .where('expires_at', 'is not', null)
        .where('due_at', 'is', null)
        .where(isInScope(bind))
        .where(isOfClient(bind))
        .orderBy('record_digest')
        .limit(sql.lit(1))
        .offset(bind('offset')),
    ),
    deleteToldAtEnd: prepare(dialect, () =>
      db.deleteFrom('openid_records').where('model', '=', sql.lit(TOLD_AT_END)),
    ),
  };
}

function leaseQueries(dialect: Dialect) {
  const { db } = dialect;
  return {
    selectClientsToTell: prepare(
      dialect,
      (bind: Bind<{ readonly clients: string; readonly at: number }>) => ({
        compile: () =>
          sql`select item.value as client from ${dialect.textsOf(bind('clients'))}
            where exists (select 1 from openid_records where client = item.value
            and due_at <= ${bind('at')} and expires_at > ${bind('at')})`.compile(db),
      }),
    ),
    leaseEnded: prepare(dialect, (bind: Bind<LeaseValues>) =>
      db
        .updateTable('openid_records')
        .set({ due_at: bind('until') })
        .where(
          isChosen(
            'record_digest',
            dialect,
            db
              .selectFrom('openid_records')
              .select('record_digest')
              .where('client', '=', bind('client'))
              .where('due_at', '<=', bind('at'))
              .where('expires_at', '>', bind('at'))
              .orderBy('due_at')
              .limit(bind('limit')),
          ),
        )
        .returning(OPENID_COLUMNS),
    ),
    postponeEnded: prepare(dialect, (bind: Bind<OneRecord & { readonly until: number }>) =>
      db
        .updateTable('openid_records')
        .set({ due_at: bind('until') })
        .where('record_digest', '=', bind('record_digest'))
        .where('due_at', 'is not', null),
    ),
    bringEndedForward: prepare(dialect, (bind: Bind<{ readonly at: number }>) =>
      db
        .updateTable('openid_records')
        .set({ due_at: bind('at') })
        .where('due_at', '>', bind('at')),
    ),
  };
}
