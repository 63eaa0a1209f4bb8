import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { isChosen } from './chosen.ts';
import { DELIVERY_COLUMNS } from './columns.ts';
import { prepare, type Bind, type Dialect } from './prepare.ts';

interface LeaseValues {
  readonly receiver: string;
  readonly at: number;
  readonly next_at: number;
  readonly limit: number;
}

interface TryValues {
  readonly delivery_id: string;
  readonly answer: string;
  readonly tries: number;
}

interface OffValues {
  readonly receiver: string;
  readonly client: string;
  readonly at: number;
}

interface GiveUpValues {
  readonly receiver: string;
  readonly at: number;
  readonly answer: string;
  readonly limit: number;
}

interface ReplayValues {
  /** As a JSON list. */
  readonly receivers: string;
  readonly at: number;
}

interface WaitingValues {
  /** Of how many rows, those that have waited longest, the receiver is looked at. */
  readonly looked_at: number;
  /** As a JSON list; null for all. */
  readonly receivers: string | null;
  readonly limit: number;
}

interface LimitValues {
  readonly before: number;
  readonly limit: number;
}

const NULL = sql.lit(null);

/** What becomes of the rows that outbox.ts writes. */
export function deliveryQueries(dialect: Dialect) {
  return {
    ...sendQueries(dialect),
    ...offQueries(dialect),
    ...replayQueries(dialect),
    ...removalQueries(dialect),
    ...operatorReads(dialect),
    ...commandReads(dialect),
  };
}

function sendQueries(dialect: Dialect) {
  const { db } = dialect;
  // In this order even where it does not matter, so that PostgreSQL takes the index of the receiver:
  // it can hold the one of all that wait for cheaper, where others have very much.
  const due = (bind: Bind<Pick<LeaseValues, 'receiver' | 'at'>>) =>
    db
      .selectFrom('webhook_deliveries')
      .select('delivery_id')
      .where('receiver', '=', bind('receiver'))
      .where('next_at', '<=', bind('at'))
      .orderBy('next_at');
  // Unless somebody else has leased it meanwhile.
  const lastTry = (bind: Bind<Omit<TryValues, 'answer'>>) =>
    db
      .updateTable('webhook_deliveries')
      .where('delivery_id', '=', bind('delivery_id'))
      .where('outcome', 'is', null)
      .where('tries', '=', bind('tries'));
  return {
    selectDue: prepare(dialect, (bind: Bind<Pick<LeaseValues, 'receiver' | 'at'>>) =>
      due(bind).limit(sql.lit(1)),
    ),
    leaseDeliveries: prepare(dialect, (bind: Bind<LeaseValues>) =>
      db
        .updateTable('webhook_deliveries')
        .set({ next_at: bind('next_at'), tries: sql<number>`tries + 1` })
        .where(isChosen('delivery_id', dialect, due(bind).limit(bind('limit'))))
        .returning(DELIVERY_COLUMNS),
    ),
    markDelivered: prepare(
      dialect,
      (bind: Bind<Omit<TryValues, 'tries'> & { readonly at: number }>) =>
        db
          .updateTable('webhook_deliveries')
          .set({
            next_at: NULL,
            ended_at: bind('at'),
            outcome: sql.lit('delivered'),
            answer: bind('answer'),
          })
          .where('delivery_id', '=', bind('delivery_id')),
    ),
    markFailed: prepare(dialect, (bind: Bind<TryValues & { readonly next_at: number }>) =>
      lastTry(bind).set({ next_at: bind('next_at'), answer: bind('answer') }),
    ),
    markUntried: prepare(
      dialect,
      (bind: Bind<Omit<TryValues, 'answer'> & { readonly next_at: number }>) =>
        lastTry(bind).set({ next_at: bind('next_at'), tries: sql<number>`tries - 1` }),
    ),
    markGivenUp: prepare(dialect, (bind: Bind<TryValues & { readonly at: number }>) =>
      lastTry(bind).set({ ...givenUp(bind('at')), answer: bind('answer') }),
    ),
  };
}

const GIVEN_UP = sql.lit('given_up');
const givenUp = (at: RawBuilder<number>) => ({ next_at: NULL, ended_at: at, outcome: GIVEN_UP });

function offQueries(dialect: Dialect) {
  const { db } = dialect;
  const waiting = () =>
    db.selectFrom('webhook_deliveries').select('delivery_id').where('next_at', 'is not', null);
  const giveUp = (bind: Bind<GiveUpValues>, rows: ReturnType<typeof waiting>) =>
    db
      .updateTable('webhook_deliveries')
      .set({ ...givenUp(bind('at')), answer: bind('answer') })
      .where(isChosen('delivery_id', dialect, rows));
  return {
    switchOff: prepare(dialect, (bind: Bind<OffValues>) =>
      db
        .insertInto('webhooks_off')
        .columns(['receiver', 'client', 'at'])
        .expression(
          db.selectNoFrom([
            bind('receiver').as('receiver'),
            bind('client').as('client'),
            bind('at').as('at'),
          ]),
        )
        .onConflict((conflict) => conflict.column('receiver').doNothing())
        .returning('receiver'),
    ),
    switchOn: prepare(dialect, (bind: Bind<{ readonly receiver: string }>) =>
      db.deleteFrom('webhooks_off').where('receiver', '=', bind('receiver')).returning('receiver'),
    ),
    /** In the order of the index of what is due, as above. */
    giveUpReceiver: prepare(dialect, (bind: Bind<GiveUpValues>) => {
      const rows = waiting().where('receiver', '=', bind('receiver')).orderBy('next_at');
      return giveUp(bind, rows.limit(bind('limit')));
    }),
    /** By the index of what waits longest: the expression keeps the planner from the other one. */
    giveUpOldest: prepare(dialect, (bind: Bind<GiveUpValues>) =>
      giveUp(
        bind,
        waiting()
          .where(sql<SqlBool>`receiver || '' = ${bind('receiver')}`)
          .orderBy('since')
          .limit(bind('limit')),
      ),
    ),
    giveUpOld: prepare(dialect, (bind: Bind<LimitValues & { readonly at: number }>) =>
      db
        .updateTable('webhook_deliveries')
        .set(givenUp(bind('at')))
        .where(
          isChosen(
            'delivery_id',
            dialect,
            waiting().where('since', '<', bind('before')).limit(bind('limit')),
          ),
        )
        .returning('receiver'),
    ),
  };
}

function replayQueries(dialect: Dialect) {
  const { db } = dialect;
  return {
    replayDelivery: prepare(
      dialect,
      (bind: Bind<ReplayValues & { readonly delivery_id: string }>) =>
        db
          .updateTable('webhook_deliveries')
          .set(dueAgain(bind('at')))
          .where('delivery_id', '=', bind('delivery_id'))
          .where('outcome', '=', GIVEN_UP)
          .where(isOfOne(dialect, bind)),
    ),
    replayClient: prepare(
      dialect,
      (bind: Bind<ReplayValues & { readonly client: string; readonly limit: number }>) =>
        db
          .updateTable('webhook_deliveries')
          .set(dueAgain(bind('at')))
          .where(
            isChosen(
              'delivery_id',
              dialect,
              db
                .selectFrom('webhook_deliveries')
                .select('delivery_id')
                .where('client', '=', bind('client'))
                .where('outcome', '=', GIVEN_UP)
                .where(isOfOne(dialect, bind))
                .limit(bind('limit')),
            ),
          ),
    ),
    /** After a clock went back, nothing waits longer than it would have. */
    bringForward: prepare(dialect, (bind: Bind<{ readonly at: number }>) =>
      db
        .updateTable('webhook_deliveries')
        .set({ next_at: bind('at'), since: bind('at') })
        .where('next_at', '>', bind('at')),
    ),
  };
}

/** Whether the row is of one of the receivers. */
const isOfOne = (dialect: Dialect, bind: Bind<Pick<WaitingValues, 'receivers'>>) =>
  sql<SqlBool>`receiver in (select item.value from ${dialect.textsOf(bind('receivers'))})`;

const dueAgain = (at: RawBuilder<number>) => ({
  next_at: at,
  since: at,
  tries: sql.lit(0),
  ended_at: NULL,
  outcome: NULL,
});

function removalQueries(dialect: Dialect) {
  const { db } = dialect;
  const removal = (outcome: 'delivered' | 'given_up') =>
    prepare(dialect, (bind: Bind<LimitValues>) => {
      const old = db
        .selectFrom('webhook_deliveries')
        .select('delivery_id')
        .where('outcome', '=', sql.lit(outcome))
        .where('ended_at', '<', bind('before'))
        .limit(bind('limit'));
      return db.deleteFrom('webhook_deliveries').where(isChosen('delivery_id', dialect, old));
    });
  return {
    deleteDelivered: removal('delivered'),
    deleteGivenUp: removal('given_up'),
    deleteDeliveriesOfUser: prepare(dialect, (bind: Bind<{ readonly user_id: number }>) =>
      db.deleteFrom('webhook_deliveries').where('user_id', '=', bind('user_id')),
    ),
    /** Of an attempt that is of no user, before it is deleted. */
    deleteDeliveriesOfOpen: prepare(dialect, (bind: Bind<{ readonly attempt_id: string }>) =>
      db
        .deleteFrom('webhook_deliveries')
        .where('attempt_id', '=', bind('attempt_id'))
        .where((deliveries) =>
          deliveries.exists(
            db
              .selectFrom('attempts')
              .select('attempts.attempt_id')
              .where('attempts.attempt_id', '=', bind('attempt_id'))
              .where('attempts.user_id', 'is', null),
          ),
        ),
    ),
    deleteDeliveries: prepare(dialect, () => db.deleteFrom('webhook_deliveries')),
    deleteSweep: prepare(dialect, () => db.deleteFrom('webhook_sweep')),
  };
}

/** By the index of what waits longest, in whose order a query around it takes its rows. */
const longestWaiting = ({ db }: Dialect, bind: Bind<WaitingValues>) =>
  db
    .selectFrom('webhook_deliveries')
    .select(['receiver', 'client', 'since'])
    .where('next_at', 'is not', null)
    .orderBy('since')
    .limit(bind('looked_at'));

function operatorReads(dialect: Dialect) {
  const { db } = dialect;
  const select = () => db.selectFrom('webhook_deliveries').select(DELIVERY_COLUMNS);
  return {
    /** Those of a receiver that is no more wait for a day, and are passed over. */
    selectWaiting: prepare(dialect, (bind: Bind<WaitingValues>) =>
      db
        .selectFrom(
          db
            .selectFrom(longestWaiting(dialect, bind).as('oldest'))
            .selectAll()
            .where(sql<SqlBool>`(${bind('receivers')} is null or ${isOfOne(dialect, bind)})`)
            .limit(bind('limit'))
            .as('longest'),
        )
        .select(({ fn }) => [
          'receiver',
          'client',
          fn.countAll<number>().as('count'),
          fn.min('since').as('since'),
        ])
        .groupBy(['receiver', 'client']),
    ),
    /** A row if more than so many wait for the receiver. */
    selectBeyond: prepare(
      dialect,
      (bind: Bind<{ readonly receiver: string; readonly limit: number }>) =>
        db
          .selectFrom('webhook_deliveries')
          .select('next_at')
          .where('receiver', '=', bind('receiver'))
          .where('next_at', 'is not', null)
          .orderBy('next_at')
          .limit(sql.lit(1))
          .offset(bind('limit')),
    ),
    selectGivenUp: prepare(
      dialect,
      (bind: Bind<{ readonly client: string | null; readonly limit: number }>) =>
        select()
          .where('outcome', '=', GIVEN_UP)
          .where(sql<SqlBool>`(${bind('client')} is null or client = ${bind('client')})`)
          .orderBy('ended_at', 'desc')
          .limit(bind('limit')),
    ),
    selectSwitchedOff: prepare(dialect, () =>
      db.selectFrom('webhooks_off').select(['receiver', 'client', 'at']),
    ),
    selectDeliveriesOfAttempt: prepare(dialect, (bind: Bind<{ readonly attempt_id: string }>) =>
      select().where('attempt_id', '=', bind('attempt_id')),
    ),
  };
}

/** Of `miftah webhooks` and the doctor alone. */
function commandReads(dialect: Dialect) {
  const { db } = dialect;
  const select = () => db.selectFrom('webhook_deliveries').select(DELIVERY_COLUMNS);
  return {
    selectOldestTried: prepare(dialect, (bind: Bind<{ readonly receiver: string }>) =>
      select()
        .where('receiver', '=', bind('receiver'))
        .where('next_at', 'is not', null)
        .where('answer', 'is not', null)
        .orderBy('since')
        .limit(sql.lit(1)),
    ),
    selectGivenUpOne: prepare(dialect, (bind: Bind<{ readonly delivery_id: string }>) =>
      select().where('delivery_id', '=', bind('delivery_id')).where('outcome', '=', GIVEN_UP),
    ),
    countGivenUp: prepare(dialect, () =>
      db
        .selectFrom('webhook_deliveries')
        .select(({ fn }) => ['receiver', 'client', fn.countAll<number>().as('count')])
        .where('outcome', '=', GIVEN_UP)
        .groupBy(['receiver', 'client']),
    ),
  };
}
