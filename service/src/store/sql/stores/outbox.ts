import { isErrorCode } from '../../../errors/catalogue.ts';
import { parseUserId } from '../../../account/user.ts';
import { ATTEMPT_LIFETIME_MS, type AttemptRecord } from '../../../attempt/attempt.ts';
import { firstIdAt, parseAttemptId } from '../../../values/ids.ts';
import type { Ms } from '../../../values/time.ts';
import { type Delivery, WEBHOOK_EVENTS } from '../../../webhooks/webhook.ts';
import type {
  ClearedDeliveries,
  CountedDeliveries,
  EndedBefore,
  FailedTry,
  GiveUpDeliveries,
  LeaseDeliveries,
  Outbox,
  PendingPushes,
  ReplayHow,
  SweepExpired,
  SwitchedOff,
  WaitingDeliveries,
} from '../../ports/store.port.ts';
import type { CommandParts, SqlParts } from '../engine.ts';
import type { DeliveryRow, SwitchedOffRow } from '../schema.ts';
import {
  all,
  type Command,
  guard,
  one,
  type Read,
  RowReader,
  type SqlRow,
  step,
  type Step,
} from '../statement.ts';
import { attemptFromRow } from './attempts.ts';

/** So that a read of a few is short, whatever is left of receivers that are no more. */
const MOST_LOOKED_AT = 20_000;

export function outboxOf(parts: SqlParts): Outbox {
  const { engine, sql, receivers } = parts;
  const listed = async (read: Read<readonly SqlRow[]>) =>
    (await engine.read(read)).map((row) => deliveryFromRow(row));
  return {
    tellTo: (subscriptions, sender) => receivers.tellTo(subscriptions, sender),
    sweepExpired: (sweep) => sweepExpired(parts, sweep),
    pendingPushes: (page) => engine.read(pendingPushes(parts, page)),
    isDue: async (receiver, at) =>
      (await engine.read(one(sql.selectDue, { receiver, at }))) !== null,
    lease: (lease) => engine.run(leaseDeliveries(parts, lease)),
    delivered: (deliveryId, answer, at) => engine.run(markDelivered(parts, deliveryId, answer, at)),
    failed: (failure) => engine.run(markFailed(parts, failure)),
    untried: (delivery, nextAt) => engine.run(markUntried(parts, delivery, nextAt)),
    switchOff: (change) => engine.run(switchOff(parts, change)),
    switchOn: (receiver) => engine.run(switchOn(parts, receiver)),
    clear: (bounds) => engine.run(clear(parts, bounds)),
    giveUp: (some) => engine.run(giveUp(parts, some)),
    isBeyond: async (receiver, most) =>
      (await engine.read(one(sql.selectBeyond, { receiver, limit: most }))) !== null,
    replay: (which, how) => engine.run(replay(parts, which, how)),
    givenUpOne: async (deliveryId) => {
      const row = await engine.read(one(sql.selectGivenUpOne, { delivery_id: deliveryId }));
      return row === null ? null : deliveryFromRow(row);
    },
    givenUpCounts: async () => (await engine.read(all(sql.countGivenUp, {}))).map(countFromRow),
    waiting: async (limit, known) => {
      const values = {
        limit,
        receivers: known === undefined ? null : JSON.stringify(known),
        looked_at: Math.max(limit, MOST_LOOKED_AT),
      };
      return (await engine.read(all(sql.selectWaiting, values))).map(waitingFromRow);
    },
    oldestTried: async (receiver) => {
      const row = await engine.read(one(sql.selectOldestTried, { receiver }));
      return row === null ? null : deliveryFromRow(row);
    },
    givenUp: (client, limit) => listed(all(sql.selectGivenUp, { client, limit })),
    switchedOff: async () => (await engine.read(all(sql.selectSwitchedOff, {}))).map(offFromRow),
    ofAttempt: async (attemptId) => {
      const rows = await listed(all(sql.selectDeliveriesOfAttempt, { attempt_id: attemptId }));
      return rows.toSorted((first, second) => first.at - second.at);
    },
  };
}

/** One for all that a receiver waits for, and one for each delivery: in the order of the names. */
const webhookName = (id: string): string => `webhook:${id}`;
const SWEEP = 'webhook-sweep';

async function sweepExpired(parts: SqlParts, sweep: SweepExpired): Promise<number> {
  const { engine, sql, receivers } = parts;
  const told = receivers.of('attempt.expired');
  if (told === null) return 0;
  const until = sweep.now - sweep.graceMs;
  const row = await engine.read(one(sql.selectSwept, {}));
  if (row === null) {
    await engine.run(oneStep(step(sql.beginSweep, { swept_to: until }), [SWEEP]));
    return 0;
  }
  const swept = new RowReader<{ readonly swept_to: number }>('webhook_sweep', row);
  const after = swept.integer('swept_to');
  if (after === until) return 0;
  // Of a clock that was set back, nothing is told twice: the rows have the same ids.
  const from = Math.min(Math.max(after, sweep.now - sweep.longestMs), until);
  const note = step(sql.noteExpired, { after: from, until, receivers: told });
  const command: Command<number> = {
    steps: [guard(sql.moveSweep, { after, swept_to: until })],
    audit: [],
    touches: [SWEEP],
    isPatient: true,
    decode: (results) => results.rows(note).length,
  };
  return engine.run(receivers.told(command, 'attempt.expired', () => note));
}

function* pendingPushes(
  { sql, receivers, identities }: CommandParts,
  { of, now, after, limit }: PendingPushes,
): Read<readonly AttemptRecord[]> {
  const clients = of === 'all' ? null : receivers.clients;
  if (of === 'told' && clients === null) return [];
  // No attempt that began earlier is pending.
  const above = after ?? firstIdAt(now - ATTEMPT_LIFETIME_MS);
  const rows = yield* all(sql.selectPendingPushes, { clients, above, at: now, limit });
  return rows.map((row) => attemptFromRow(row, identities));
}

function oneStep(change: Step, touches: readonly string[]): Command<number> {
  return { steps: [change], audit: [], touches, decode: (results) => results.changes(change) };
}

function leaseDeliveries(
  { sql }: CommandParts,
  { receiver, limit, at, until }: LeaseDeliveries,
): Command<readonly Delivery[]> {
  const lease = step(sql.leaseDeliveries, { receiver, limit, at, next_at: until });
  return {
    steps: [lease],
    audit: [],
    // It passes over what others have locked, so that nobody waits for it.
    touches: [],
    isPatient: true,
    decode: (results) => results.rows(lease).map((row) => deliveryFromRow(row)),
  };
}

function markDelivered(
  { sql }: CommandParts,
  delivery_id: string,
  answer: string,
  at: Ms,
): Command<void> {
  const mark = step(sql.markDelivered, { delivery_id, answer, at });
  return patient(mark, delivery_id);
}

function markFailed(
  { sql }: CommandParts,
  { delivery: { deliveryId, tries }, answer, at, nextAt }: FailedTry,
): Command<void> {
  const values = { delivery_id: deliveryId, tries, answer };
  const mark =
    nextAt === null
      ? step(sql.markGivenUp, { ...values, at })
      : step(sql.markFailed, { ...values, next_at: nextAt });
  return patient(mark, deliveryId);
}

function markUntried(
  { sql }: CommandParts,
  { deliveryId, tries }: FailedTry['delivery'],
  next_at: Ms,
): Command<void> {
  const values = { delivery_id: deliveryId, tries, next_at };
  return patient(step(sql.markUntried, values), deliveryId);
}

/** Nobody waits for what has become of a try. */
function patient(mark: Step, deliveryId: string): Command<void> {
  const command = oneStep(mark, [webhookName(deliveryId)]);
  return { ...command, isPatient: true, decode: () => undefined };
}

/** Touches everything, so that no change tells the receiver beside it. */
function switchOff({ sql }: CommandParts, { receiver, client, at }: SwitchedOff): Command<boolean> {
  const off = guard(sql.switchOff, { receiver, client, at });
  return { ...oneStep(off, []), touches: 'everything', decode: (results) => results.has(off) };
}

/** As `clear`, it passes over what others have locked. */
function giveUp({ sql }: CommandParts, some: GiveUpDeliveries): Command<number> {
  const { isOldestFirst, ...values } = some;
  return oneStep(step(isOldestFirst ? sql.giveUpOldest : sql.giveUpReceiver, values), []);
}

function switchOn({ sql }: CommandParts, receiver: string): Command<boolean> {
  const on = guard(sql.switchOn, { receiver });
  return { ...oneStep(on, [webhookName(receiver)]), decode: (results) => results.has(on) };
}

function clear(
  { sql }: CommandParts,
  { deliveredBefore, givenUpBefore, sinceBefore, at, limit }: EndedBefore,
): Command<ClearedDeliveries> {
  const giveUpOld = step(sql.giveUpOld, { before: sinceBefore, at, limit });
  const removals = [
    step(sql.deleteDelivered, { before: deliveredBefore, limit }),
    step(sql.deleteGivenUp, { before: givenUpBefore, limit }),
  ];
  return {
    steps: [giveUpOld, ...removals],
    audit: [],
    // As in `purge`: it passes over what others have locked.
    touches: [],
    decode: (results) => {
      const givenUp = results.rows(giveUpOld).map((row) => receiverFromRow(row));
      const most = Math.max(givenUp.length, ...removals.map((each) => results.changes(each)));
      return { most, givenUp };
    },
  };
}

const receiverFromRow = (row: SqlRow): string =>
  new RowReader<Pick<DeliveryRow, 'receiver'>>('webhook_deliveries', row).text('receiver');

function replay(
  { sql }: CommandParts,
  which: { readonly client: string } | { readonly deliveryId: string },
  { receivers: known, at, limit }: ReplayHow,
): Command<number> {
  const receivers = JSON.stringify(known);
  if ('client' in which) {
    const { client } = which;
    return oneStep(step(sql.replayClient, { client, receivers, at, limit }), []);
  }
  const { deliveryId } = which;
  return oneStep(step(sql.replayDelivery, { delivery_id: deliveryId, receivers, at }), [
    webhookName(deliveryId),
  ]);
}

function deliveryFromRow(row: SqlRow): Delivery {
  const read = new RowReader<DeliveryRow>('webhook_deliveries', row);
  return {
    deliveryId: read.text('delivery_id'),
    client: read.text('client'),
    receiver: read.text('receiver'),
    event: read.oneOf('event', WEBHOOK_EVENTS),
    attemptId: read.parsedOrNull('attempt_id', parseAttemptId),
    userId: read.idOrNull('user_id', parseUserId),
    reason: read.parsedOrNull('reason', (text) => (isErrorCode(text) ? text : null)),
    at: read.integer('at'),
    since: read.integer('since'),
    tries: read.integer('tries'),
    nextAt: read.integerOrNull('next_at'),
    endedAt: read.integerOrNull('ended_at'),
    answer: read.textOrNull('answer'),
  };
}

function countFromRow(row: SqlRow): CountedDeliveries {
  const read = new RowReader<DeliveryRow & { readonly count: number }>('webhook_deliveries', row);
  return {
    receiver: read.text('receiver'),
    client: read.text('client'),
    count: read.integer('count'),
  };
}

function waitingFromRow(row: SqlRow): WaitingDeliveries {
  const read = new RowReader<DeliveryRow>('webhook_deliveries', row);
  return { ...countFromRow(row), oldestAt: read.integer('since') };
}

function offFromRow(row: SqlRow): SwitchedOff {
  const read = new RowReader<SwitchedOffRow>('webhooks_off', row);
  return {
    receiver: read.text('receiver'),
    client: read.text('client'),
    at: read.integer('at'),
  };
}
