import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely';
import { RECEIVER_ID_LENGTH, type WebhookEvent } from '../../../webhooks/webhook.ts';
import type { DeliveryRow } from '../schema.ts';
import { ATTEMPT_COLUMNS, DELIVERY_COLUMNS } from './columns.ts';
import { isPending } from './guards.ts';
import { prepare, type Bind, type Dialect } from './prepare.ts';

/** `receivers` is a JSON list of texts: the id of a receiver, a space, and its client. */
interface Told {
  readonly receivers: string;
}

interface NoteValues extends Told {
  readonly event: WebhookEvent;
  readonly attempt_id: string;
  readonly at: number;
  /** The ids of those receivers whose row is leased until then. */
  readonly taken: string;
  readonly until: number;
}

interface ScopeValues extends Told {
  readonly at: number;
  readonly user_id: number | null;
  readonly client: string | null;
}

interface TokenValues extends ScopeValues {
  readonly above: string;
  readonly up_to: string;
}

interface SweepValues extends Told {
  /** Expiries after this one, up to `until`. */
  readonly after: number;
  readonly until: number;
}

interface PendingValues {
  /** A JSON list; null: all. */
  readonly clients: string | null;
  readonly above: string;
  readonly at: number;
  readonly limit: number;
}

const NULL = sql.lit(null);
const RECEIVER = sql<string>`substr(item.value, 1, ${sql.lit(RECEIVER_ID_LENGTH)})`;
const CLIENT = sql<string>`substr(item.value, ${sql.lit(RECEIVER_ID_LENGTH + 2)})`;

/** What is written for receivers (store/ports/outbox.port.ts). */
export function outboxQueries(dialect: Dialect) {
  return {
    ...noteQueries(dialect),
    ...sweepQueries(dialect),
  };
}

interface Noted {
  readonly from: RawBuilder<unknown>;
  readonly where: RawBuilder<unknown>;
  readonly event: Expression<string>;
  /** The attempt's id, or else the user's. */
  readonly subject: 'attempts.attempt_id' | null;
  readonly user: RawBuilder<unknown>;
  readonly at: RawBuilder<unknown>;
  /** How often it was tried, and when it is due; by default never, and at once. */
  readonly tries?: RawBuilder<unknown>;
  readonly nextAt?: RawBuilder<unknown>;
  readonly returning?: readonly (keyof DeliveryRow)[];
}

/** A row for each receiver of the client. Its id says what it is of, so that it is written once. */
function insertNoted(dialect: Dialect, receivers: RawBuilder<string>, noted: Noted) {
  const { db } = dialect;
  const { from, where, event, at, user, subject } = noted;
  const { tries = sql.lit(0), nextAt = at, returning = ['receiver'] } = noted;
  const attempt = subject === null ? NULL : sql.ref(subject);
  // Of an attempt it is not sent, but an erasure finds the row by it.
  const person = subject === null ? user : sql.ref('attempts.user_id');
  const name =
    subject === null
      ? sql`'user-' || cast(${user} as text) || '-' || cast(${at} as text)`
      : attempt;
  const reason = subject === null ? NULL : sql.ref('attempts.end_reason');
  const id = sql`${name} || '_' || replace(${event}, '.', '_') || '_' || ${RECEIVER}`;
  return db
    .insertInto('webhook_deliveries')
    .columns(DELIVERY_COLUMNS)
    .expression(
      sql`select ${id}, ${CLIENT}, ${RECEIVER}, ${event}, ${attempt},
        ${person}, ${reason}, ${at}, ${at}, ${tries}, ${nextAt}, ${NULL}, ${NULL}, ${NULL}
        from ${dialect.textsOf(receivers)} ${from}
        where ${where} and not exists
        (select 1 from webhooks_off where webhooks_off.receiver = ${RECEIVER})`,
    )
    .onConflict((conflict) => conflict.column('delivery_id').doNothing())
    .returning(returning);
}

const ATTEMPTS = sql`inner join attempts on attempts.client = ${CLIENT}`;

/** Of one attempt. What a receiver takes is written as leased. */
function noteAttempt(dialect: Dialect) {
  return prepare(dialect, (bind: Bind<NoteValues>) => {
    const [event, at] = [bind('event'), bind('at')];
    // Only if the change that comes before it has set this time: not each one does.
    const moment = sql`case ${bind('event')} when 'attempt.authenticated' then authenticated_at
        when 'attempt.rejected' then rejected_at else failed_at end`;
    const isTaken = sql<SqlBool>`${bind('taken')} like '%' || ${RECEIVER} || '%'`;
    return insertNoted(dialect, bind('receivers'), {
      from: ATTEMPTS,
      where: sql`attempts.attempt_id = ${bind('attempt_id')} and ${moment} = ${bind('at')}`,
      event,
      subject: 'attempts.attempt_id',
      user: NULL,
      at,
      tries: sql`case when ${isTaken} then 1 else 0 end`,
      nextAt: sql`case when ${isTaken} then ${bind('until')} else ${at} end`,
      returning: ['receiver', 'delivery_id', 'user_id', 'reason', 'tries'],
    });
  });
}

function noteQueries(dialect: Dialect) {
  return {
    noteAttempt: noteAttempt(dialect),
    /** Of the attempts that `failOpen` has failed at this time. Uses the index by expiry. */
    noteFailed: prepare(dialect, (bind: Bind<ScopeValues>) =>
      insertNoted(dialect, bind('receivers'), {
        from: ATTEMPTS,
        where: sql`${expiryText} > ${bind('at')} and failed_at = ${bind('at')}
          and ${inScope(bind, 'attempts')}`,
        event: sql`'attempt.failed'`,
        subject: 'attempts.attempt_id',
        user: NULL,
        at: bind('at'),
      }),
    ),
    /** The clients that have had a token of the user: there is no index of attempts by user. */
    noteDisabled: prepare(
      dialect,
      (bind: Bind<Told & { readonly user_id: number; readonly at: number }>) =>
        insertNoted(dialect, bind('receivers'), {
          from: sql``,
          where: sql`exists (select 1 from api_tokens
            where user_id = ${bind('user_id')} and client = ${CLIENT})`,
          event: sql`'user.disabled'`,
          subject: null,
          user: bind('user_id'),
          at: bind('at'),
        }),
    ),
    /** Of the tokens that `revokeTokensBetween` has revoked at this time. */
    noteRevoked: prepare(dialect, (bind: Bind<TokenValues>) =>
      insertNoted(dialect, bind('receivers'), {
        from: sql`inner join (select distinct user_id, client from api_tokens
          where token_id > ${bind('above')} and token_id <= ${bind('up_to')}
          and revoked_at = ${bind('at')} and ${inScope(bind, 'api_tokens')}) as revoked
          on revoked.client = ${CLIENT}`,
        where: sql`true`,
        event: sql`'tokens.revoked'`,
        subject: null,
        user: sql`revoked.user_id`,
        at: bind('at'),
      }),
    ),
  };
}

/** The expression of the index `attempts_by_expiry`, as `expiry` (guards.ts) has it. */
const expiryText = sql<number>`case when provider_expires_at < expires_at
  then provider_expires_at else expires_at end`;

function inScope(bind: Bind<ScopeValues>, table: 'attempts' | 'api_tokens') {
  const [user, client] = [sql.ref(`${table}.user_id`), sql.ref(`${table}.client`)];
  return sql<SqlBool>`(${bind('user_id')} is null or ${user} = ${bind('user_id')})
    and (${bind('client')} is null or ${client} = ${bind('client')})`;
}

/** The id of the only row. */
const ONLY = sql.lit(1);

function sweepQueries(dialect: Dialect) {
  const { db } = dialect;
  return {
    selectSwept: prepare(dialect, () =>
      db.selectFrom('webhook_sweep').select('swept_to').where('id', '=', ONLY),
    ),
    beginSweep: prepare(dialect, (bind: Bind<{ readonly swept_to: number }>) =>
      db
        .insertInto('webhook_sweep')
        .columns(['id', 'swept_to'])
        .expression(db.selectNoFrom([ONLY.as('id'), bind('swept_to').as('swept_to')]))
        .onConflict((conflict) => conflict.column('id').doNothing()),
    ),
    /** One of several instances gets a row. */
    moveSweep: prepare(
      dialect,
      (bind: Bind<{ readonly after: number; readonly swept_to: number }>) =>
        db
          .updateTable('webhook_sweep')
          .set({ swept_to: bind('swept_to') })
          .where('id', '=', ONLY)
          .where('swept_to', '=', bind('after'))
          .returning('id'),
    ),
    selectPendingPushes: prepare(dialect, (bind: Bind<PendingValues>) =>
      db
        .selectFrom('attempts')
        .select(ATTEMPT_COLUMNS)
        .where('attempt_id', '>', bind('above'))
        // Of the other flow the browser brings the end: nobody can be asked for it.
        .where('flow', '=', sql.lit('mfa'))
        .where((attempts) => isPending(attempts, bind('at')))
        .where(
          sql<SqlBool>`(${bind('clients')} is null
            or client in (select item.value from ${dialect.textsOf(bind('clients'))}))`,
        )
        .orderBy('attempt_id')
        .limit(bind('limit')),
    ),
    noteExpired: prepare(dialect, (bind: Bind<SweepValues>) =>
      insertNoted(dialect, bind('receivers'), {
        from: ATTEMPTS,
        where: sql`${expiryText} > ${bind('after')} and ${expiryText} <= ${bind('until')}
          and authenticated_at is null and rejected_at is null and failed_at is null`,
        event: sql`'attempt.expired'`,
        subject: 'attempts.attempt_id',
        user: NULL,
        at: expiryText,
      }),
    ),
  };
}
