import { expect, test } from 'vitest';
import type { AttemptRecord } from '../../src/attempt/attempt.ts';
import { COMPLETION_CODE_TRIES } from '../../src/attempt/redeem/completion-code.ts';
import { LEASE_MS } from '../../src/values/pauses.ts';
import { DAY_MS, MINUTE_MS } from '../../src/values/time.ts';
import {
  type Delivery,
  receiverId,
  WEBHOOK_EVENTS,
  type WebhookEvent,
} from '../../src/webhooks/webhook.ts';
import type { EndedBefore, Store, Written } from '../../src/store/ports/store.port.ts';
import {
  authentication,
  opening,
  pushTransaction,
  redemption,
  redirectTransaction,
  samplePerson,
  START,
} from './samples.ts';
import { ENDS, inserted, opened } from './store-states.ts';
import { withStore, type OpenStore } from './store-under-test.ts';

const CLIENT = 'simulator';
const OTHER = 'other';
const RECEIVER = receiverId(CLIENT, 'https://a.example/hook');
const SECOND = receiverId(CLIENT, 'https://b.example/hook');
const OF_OTHER = receiverId(OTHER, 'https://a.example/hook');
const AT = START + 5;
const MANY = 1000;
const NOBODY = { at: AT, disabled: [], keptOut: [], lastUserId: 0, isContinued: true };

const everything = (
  receiver: string,
  client = CLIENT,
  events: readonly WebhookEvent[] = WEBHOOK_EVENTS,
) => ({
  receiver,
  client,
  events,
});

/** A store that tells the receiver of the client everything. */
function telling(open: OpenStore, use: (store: Store) => Promise<void>): Promise<void> {
  return withStore(open, async (store) => {
    store.outbox.tellTo([everything(RECEIVER)]);
    try {
      await use(store);
    } finally {
      store.outbox.tellTo([]);
    }
  });
}

export function outboxTests(open: OpenStore): void {
  describeWritten(open);
  describeUsers(open);
  describeExpiries(open);
  describePending(open);
  describeSending(open);
  describeKeeping(open);
  describeBounds(open);
}

const leased = (store: Store, receiver = RECEIVER, at = AT, limit = MANY) =>
  store.outbox.lease({ receiver, limit, at, until: at + MINUTE_MS });

const eventsOf = (list: readonly Delivery[]) => list.map(({ event }) => event);

function describeWritten(open: OpenStore): void {
  test('S-132: without subscriptions nothing is written', () =>
    withStore(open, async (store) => {
      for (const end of Object.values(ENDS)) await end(store, await inserted(store));
      store.outbox.tellTo([everything(RECEIVER), everything(OF_OTHER, OTHER)]);
      expect(await store.outbox.waiting(MANY)).toEqual([]);
      store.outbox.tellTo([]);
    }));

  test('S-132, S-133: each end of an attempt has one row for each receiver of its client', () =>
    withStore(open, async (store) => {
      let written = 0;
      const onlyRejected = everything(SECOND, CLIENT, ['attempt.rejected']);
      store.outbox.tellTo([everything(RECEIVER), onlyRejected, everything(OF_OTHER, OTHER)], {
        takes: () => false,
        leaseEnd: () => 0,
        onWritten: () => (written += 1),
      });
      const attempts: AttemptRecord[] = [];
      for (const end of Object.values(ENDS)) {
        const attempt = await inserted(store);
        attempts.push(attempt);
        await end(store, attempt);
        // Refused, so it is told to nobody.
        await end(store, attempt);
      }
      const [authenticated, rejected, failed, cancelled] = attempts;
      expect(written).toBe(attempts.length);
      const rows = await leased(store);
      const found = rows.map(({ event, attemptId, reason }) => ({ event, attemptId, reason }));
      const expected = [
        ['attempt.authenticated', authenticated, null],
        ['attempt.rejected', rejected, 'attempt.rejected'],
        ['attempt.failed', failed, 'provider.timeout'],
        ['attempt.rejected', cancelled, 'attempt.cancelled'],
      ] as const;
      expect(found).toHaveLength(expected.length);
      for (const [event, attempt, reason] of expected) {
        expect(found).toContainEqual({ event, attemptId: attempt?.attemptId, reason });
      }
      expect(new Set(rows.map(({ deliveryId }) => deliveryId)).size).toBe(rows.length);
      const ofSecond = await leased(store, SECOND);
      expect(eventsOf(ofSecond)).toEqual(['attempt.rejected', 'attempt.rejected']);
      expect(await leased(store, OF_OTHER)).toEqual([]);
      store.outbox.tellTo([]);
    }));

  test('S-152: what is taken is leased, and whoever is offered it is told so after the command', () =>
    withStore(open, async (store) => {
      const written: Written[] = [];
      store.outbox.tellTo([everything(RECEIVER), everything(SECOND), everything(OF_OTHER, OTHER)], {
        takes: (receiver) => receiver !== SECOND,
        // Also where the end is older than a lease lasts.
        leaseEnd: () => AT + 3 * LEASE_MS,
        onWritten: (one) => void written.push(one),
      });
      const { attemptId } = await inserted(store);
      const end = { attemptId, at: AT, reason: 'provider.timeout' } as const;
      expect(await store.failAttempt(end)).not.toBeNull();
      expect(await store.failAttempt(end)).toBeNull();
      const offered = [RECEIVER, OF_OTHER];
      expect(written).toMatchObject([
        { receivers: new Set([RECEIVER, SECOND]), offered },
        { receivers: new Set(), offered, taken: [] },
      ]);
      expect(eventsOf(await leased(store, SECOND))).toEqual(['attempt.failed']);
      expect(await store.outbox.isDue(RECEIVER, AT + 3 * LEASE_MS - 1)).toBe(false);
      const [taken] = written.flatMap((one) => one.taken);
      if (taken === undefined) throw new Error('nothing was taken');
      await store.outbox.untried(taken, AT);
      const again = await leased(store);
      expect(again).toMatchObject([taken]);
      await leased(store, RECEIVER, AT + MINUTE_MS);
      await store.outbox.failed({ delivery: taken, answer: '500', at: AT, nextAt: null });
      expect(await store.outbox.ofAttempt(attemptId)).toHaveLength(2);
      expect(await store.outbox.givenUp(null, MANY)).toEqual([]);
      store.outbox.tellTo([]);
    }));

  test('S-133: a failure by wrong codes, by another browser and by a revocation is told', () =>
    telling(open, async (store) => {
      const [codes, revoked] = [await inserted(store), await inserted(store)];
      const spoiled = await opened(store, redirectTransaction(), { flow: 'oidc' });
      for (const one of [codes, spoiled]) await store.authenticateAttempt(authentication(one));
      for (let miss = 0; miss < COMPLETION_CODE_TRIES; miss += 1) {
        await store.countWrongCode(codes.attemptId, AT - 1);
      }
      await store.spoilAttempt(spoiled.attemptId, AT - 1);
      await store.revokeAll(AT, { client: CLIENT });
      const failures = (await leased(store)).filter(({ event }) => event === 'attempt.failed');
      const ids = failures.map(({ attemptId }) => attemptId);
      expect(ids).toHaveLength(3);
      for (const one of [codes, spoiled, revoked]) expect(ids).toContain(one.attemptId);
    }));

  test('S-133: an attempt that is spoiled before it is authenticated has not ended', () =>
    telling(open, async (store) => {
      const { attemptId } = await opened(store, redirectTransaction(), { flow: 'oidc' });
      expect(await store.spoilAttempt(attemptId, AT)).toBe(true);
      expect(await leased(store)).toEqual([]);
    }));
}

function describeUsers(open: OpenStore): void {
  test('S-133: the clients of a user are told of an end of the user and of the tokens', () =>
    withStore(open, async (store) => {
      store.outbox.tellTo([everything(RECEIVER), everything(OF_OTHER, OTHER)]);
      const attempt = await inserted(store);
      const found = await store.authenticateAttempt(authentication(attempt));
      const userId = found?.user?.id;
      if (userId === undefined) throw new Error('nobody has signed in');
      await store.redeemAttempt(redemption(attempt));
      await leased(store);
      expect(await store.revokeAll(AT, { userId })).toMatchObject({ tokens: 1 });
      expect(await store.disableUser(userId, AT + 1)).toBe(true);
      // Again, without effect.
      await store.revokeAll(AT + 2, { userId });
      await store.disableUser(userId, AT + 3);
      const told = await leased(store, RECEIVER, AT + 9);
      const seen = told.filter(({ attemptId }) => attemptId === null);
      const facts = seen.map(({ event, userId: id, at }) => [event, id, at]);
      expect(facts).toHaveLength(2);
      expect(facts).toContainEqual(['tokens.revoked', userId, AT]);
      expect(facts).toContainEqual(['user.disabled', userId, AT + 1]);
      expect(await leased(store, OF_OTHER, AT + 9)).toEqual([]);
      store.outbox.tellTo([]);
    }));

  test('S-140: an erasure removes what names the user, and nothing of others', () =>
    telling(open, async (store) => {
      const person = samplePerson();
      const [own, other] = [await inserted(store), await inserted(store)];
      const found = await store.authenticateAttempt(authentication(own, { person }));
      await store.authenticateAttempt(authentication(other));
      const userId = found?.user?.id;
      if (userId === undefined) throw new Error('nobody has signed in');
      await store.disableUser(userId, AT);
      const erasure = { userId, at: AT, pushesOf: [], keepsOut: false };
      expect(await store.eraseUser(erasure)).toMatchObject({ attempts: 1 });
      expect((await leased(store)).map(({ attemptId }) => attemptId)).toEqual([other.attemptId]);
    }));

  test('S-133, S-140: a restore tells nothing, and what waited is not sent again', () =>
    telling(open, async (store) => {
      await ENDS.rejected(store, await inserted(store));
      await inserted(store);
      await store.restore(NOBODY);
      expect(await store.outbox.waiting(MANY)).toEqual([]);
    }));
}

function describeExpiries(open: OpenStore): void {
  const GRACE = 20;
  const sweep = (store: Store, now: number) =>
    store.outbox.sweepExpired({ now, graceMs: GRACE, longestMs: DAY_MS });

  test('S-134: what expires while it is pending is told once, after the grace', () =>
    telling(open, async (store) => {
      expect(await sweep(store, START)).toBe(0);
      const pending = await inserted(store, { expiresAt: START + 100 });
      const short = await inserted(store);
      const transaction = pushTransaction();
      const limit = { transaction, providerExpiresAt: START + 110 };
      expect(await store.openTransaction(opening(short, limit))).not.toBeNull();
      for (const end of Object.values(ENDS)) {
        await end(store, await inserted(store, { expiresAt: START + 100 }));
      }
      await leased(store);
      expect(await sweep(store, START + 100 + GRACE - 1)).toBe(0);
      expect(await sweep(store, START + 100 + GRACE)).toBe(1);
      expect(await sweep(store, START + DAY_MS / 2)).toBe(1);
      const told = await leased(store, RECEIVER, START + DAY_MS / 2);
      const found = told
        .filter(({ event }) => event === 'attempt.expired')
        // A lease promises no order.
        .toSorted((first, second) => first.at - second.at);
      expect(found.map(({ attemptId, at }) => [attemptId, at])).toEqual([
        [pending.attemptId, START + 100],
        [short.attemptId, START + 110],
      ]);
    }));

  test('S-134: of many sweeps at once one writes an expiry', () =>
    telling(open, async (store) => {
      await sweep(store, START);
      await inserted(store, { expiresAt: START + 100 });
      const counts = await Promise.all(
        Array.from({ length: 16 }, (_, index) => sweep(store, START + 200 + index)),
      );
      await sweep(store, START + 300);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1);
      expect(await leased(store, RECEIVER, START + 300)).toHaveLength(1);
    }));
}

function describePending(open: OpenStore): void {
  test('S-141: the pending attempts of clients with a subscription, or of all, are listed, a page after another', () =>
    telling(open, async (store) => {
      const [one, two] = [await inserted(store), await inserted(store)];
      const other = await inserted(store, { client: OTHER });
      for (const end of Object.values(ENDS)) await end(store, await inserted(store));
      const listed = async (
        after: AttemptRecord['attemptId'] | null,
        limit = MANY,
        now = AT,
        of: 'told' | 'all' = 'told',
      ) => {
        const found = await store.outbox.pendingPushes({ of, now, after, limit });
        return found.map(({ attemptId }) => attemptId);
      };
      expect(await listed(null)).toEqual([one.attemptId, two.attemptId]);
      expect(await listed(null, 1)).toEqual([one.attemptId]);
      expect(await listed(one.attemptId)).toEqual([two.attemptId]);
      expect(await listed(null, MANY, one.expiresAt)).toEqual([]);
      const all = [one, two, other].map(({ attemptId }) => attemptId);
      expect(await listed(null, MANY, AT, 'all')).toEqual(all);
      store.outbox.tellTo([]);
      expect(await listed(null)).toEqual([]);
      expect(await listed(null, MANY, AT, 'all')).toEqual(all);
    }));
}

function describeSending(open: OpenStore): void {
  test('S-135: of many leases at once each delivery has one, until it is over', () =>
    telling(open, async (store) => {
      const count = 40;
      for (let one = 0; one < count; one += 1) await ENDS.rejected(store, await inserted(store));
      expect(await store.outbox.isDue(RECEIVER, AT)).toBe(true);
      const all = await Promise.all(
        Array.from({ length: 16 }, () => leased(store, RECEIVER, AT, 3)),
      );
      const rest = await leased(store);
      const ids = [...all.flat(), ...rest].map(({ deliveryId }) => deliveryId);
      expect(Math.max(...all.map((list) => list.length))).toBeLessThanOrEqual(3);
      expect(ids).toHaveLength(count);
      expect(new Set(ids).size).toBe(count);
      expect(await store.outbox.isDue(RECEIVER, AT)).toBe(false);
      const again = await leased(store, RECEIVER, AT + MINUTE_MS);
      expect(again).toHaveLength(count);
      expect(again[0]?.tries).toBe(2);
    }));

  test('S-136: delivered is for good, and a failure counts for its own lease alone', () =>
    telling(open, async (store) => {
      const { outbox } = store;
      const { attemptId } = await inserted(store);
      await store.rejectAttempt({ attemptId, at: START + 1, reason: 'attempt.rejected' });
      const [first] = await leased(store);
      if (first === undefined) throw new Error('nothing is due');
      const [second] = await leased(store, RECEIVER, AT + MINUTE_MS);
      if (second === undefined) throw new Error('nothing is due again');
      expect(second.deliveryId).toBe(first.deliveryId);
      const late = { delivery: first, answer: '500', at: AT, nextAt: AT };
      await outbox.failed(late);
      expect(await outbox.isDue(RECEIVER, AT + MINUTE_MS)).toBe(false);
      await outbox.untried(first, AT);
      expect(await outbox.isDue(RECEIVER, AT + MINUTE_MS)).toBe(false);
      await outbox.untried(second, AT + 1);
      expect(await outbox.isDue(RECEIVER, AT)).toBe(false);
      const [third] = await leased(store, RECEIVER, AT + 1);
      expect(third).toMatchObject({ tries: second.tries, answer: null });
      await outbox.delivered(first.deliveryId, '204', AT + 1);
      await outbox.failed({ ...late, delivery: second });
      await outbox.untried(second, AT);
      const [kept] = await outbox.ofAttempt(attemptId);
      expect(kept).toMatchObject({ answer: '204', nextAt: null, endedAt: AT + 1 });
      expect(await outbox.isDue(RECEIVER, AT + DAY_MS)).toBe(false);
    }));

  test('S-151: what becomes of a try goes with the next change, alone, and before what comes later', () =>
    telling(open, async (store) => {
      const { outbox } = store;
      const { attemptId } = await inserted(store);
      await store.rejectAttempt({ attemptId, at: START + 1, reason: 'attempt.rejected' });
      const [delivery] = await leased(store);
      if (delivery === undefined) throw new Error('nothing is due');
      const { deliveryId } = delivery;
      await ENDS.rejected(store, await inserted(store));
      const givingUp = outbox.failed({ delivery, answer: '500', at: AT, nextAt: null });
      const how = { receivers: [RECEIVER], at: AT, limit: MANY };
      expect(await outbox.replay({ deliveryId }, how)).toBe(1);
      await givingUp;
      const leasing = leased(store);
      await ENDS.rejected(store, await inserted(store));
      expect((await leasing).map((one) => one.deliveryId)).toContain(deliveryId);
      await outbox.delivered(deliveryId, '204', AT);
      expect(await outbox.ofAttempt(attemptId)).toMatchObject([{ answer: '204', tries: 1 }]);
    }));

  test('S-151: what becomes of a try is written when the store is closed', () =>
    withStore(open, async (store, { reopen }) => {
      store.outbox.tellTo([everything(RECEIVER)]);
      await ENDS.rejected(store, await inserted(store));
      const [first] = await leased(store);
      await ENDS.rejected(store, await inserted(store));
      store.outbox.tellTo([]);
      const marking = store.outbox.delivered(first?.deliveryId ?? '', '204', AT);
      await store.close();
      await marking;
      const again = await reopen?.();
      expect((await again?.outbox.waiting(MANY))?.map(({ count }) => count) ?? [1]).toEqual([1]);
    }));

  test('S-136, S-139: what is given up is listed, and due again after a replay', () =>
    telling(open, async (store) => {
      const { outbox } = store;
      for (const _ of [1, 2]) await ENDS.failed(store, await inserted(store));
      for (const delivery of await leased(store)) {
        await outbox.failed({ delivery, answer: 'timeout', at: AT, nextAt: null });
      }
      const listed = await outbox.givenUp(CLIENT, MANY);
      expect(listed.map(({ answer, endedAt }) => [answer, endedAt])).toEqual([
        ['timeout', AT],
        ['timeout', AT],
      ]);
      expect(await outbox.givenUp(OTHER, MANY)).toEqual([]);
      const later = AT + DAY_MS;
      const deliveryId = listed[0]?.deliveryId ?? '';
      const how = { receivers: [RECEIVER], at: later, limit: MANY };
      const ofNone = { ...how, receivers: [SECOND] };
      expect(await outbox.replay({ deliveryId }, ofNone)).toBe(0);
      expect(await outbox.replay({ client: CLIENT }, ofNone)).toBe(0);
      const counted = { receiver: RECEIVER, client: CLIENT };
      expect(await outbox.givenUpCounts()).toEqual([{ ...counted, count: 2 }]);
      expect(await outbox.givenUpOne(deliveryId)).toEqual(listed[0]);
      expect(await outbox.givenUpOne('no-such-id')).toBeNull();
      expect(await outbox.replay({ client: CLIENT }, { ...how, limit: 0 })).toBe(0);
      expect(await outbox.replay({ deliveryId }, how)).toBe(1);
      expect(await outbox.replay({ deliveryId }, how)).toBe(0);
      expect(await outbox.givenUpOne(deliveryId)).toBeNull();
      expect(await outbox.givenUpCounts()).toEqual([{ ...counted, count: 1 }]);
      expect(await outbox.replay({ client: OTHER }, how)).toBe(0);
      expect(await outbox.replay({ client: CLIENT }, { ...how, limit: 1 })).toBe(1);
      expect(await outbox.replay({ client: CLIENT }, how)).toBe(0);
      const again = await leased(store, RECEIVER, later);
      expect(again.map(({ since, tries }) => [since, tries])).toEqual([
        [later, 1],
        [later, 1],
      ]);
    }));
}

function describeBounds(open: OpenStore): void {
  test('S-146, S-147: what waits is counted and given up in pieces, the longest first', () =>
    telling(open, async (store) => {
      const { outbox } = store;
      store.outbox.tellTo([everything(RECEIVER), everything(SECOND)]);
      const attempts = [await inserted(store), await inserted(store), await inserted(store)];
      for (const [place, { attemptId }] of attempts.entries()) {
        const at = START + 3 - place;
        await store.rejectAttempt({ attemptId, at, reason: 'attempt.rejected' });
      }
      expect(await outbox.oldestTried(RECEIVER)).toBeNull();
      for (const delivery of await leased(store)) {
        const answer = String(400 + delivery.at - START);
        await outbox.failed({ delivery, answer, at: AT, nextAt: AT });
      }
      expect(await outbox.oldestTried(RECEIVER)).toMatchObject({ answer: '401', tries: 1 });
      expect(await outbox.waiting(1)).toMatchObject([{ count: 1, oldestAt: START + 1 }]);
      const beyond = [await outbox.isBeyond(RECEIVER, 2), await outbox.isBeyond(RECEIVER, 3)];
      expect(beyond).toEqual([true, false]);
      const some = {
        receiver: RECEIVER,
        at: AT,
        answer: 'too_many',
        limit: 2,
        isOldestFirst: true,
      };
      expect(await outbox.giveUp(some)).toBe(2);
      expect((await leased(store)).map(({ attemptId }) => attemptId)).toEqual([
        attempts[0]?.attemptId,
      ]);
      expect(await outbox.giveUp(some)).toBe(1);
      expect(await outbox.waiting(MANY)).toMatchObject([{ receiver: SECOND, count: 3 }]);
    }));

  test('S-147: what waits is counted for the receivers asked for, from a replay on anew', () =>
    telling(open, async (store) => {
      const { outbox } = store;
      await ENDS.rejected(store, await inserted(store));
      outbox.tellTo([everything(SECOND)]);
      await ENDS.rejected(store, await inserted(store));
      const ofSecond = { receiver: SECOND, client: CLIENT, count: 1, oldestAt: START + 2 };
      expect(await outbox.waiting(1, [SECOND])).toEqual([ofSecond]);
      expect(await outbox.waiting(MANY, [])).toEqual([]);
      const [delivery] = await leased(store);
      if (delivery === undefined) throw new Error('nothing is due');
      await outbox.failed({ delivery, answer: '500', at: AT, nextAt: null });
      expect(await outbox.waiting(MANY)).toEqual([ofSecond]);
      const again = { receivers: [RECEIVER], at: AT + DAY_MS, limit: MANY };
      expect(await outbox.replay({ client: CLIENT }, again)).toBe(1);
      expect(await outbox.waiting(MANY, [RECEIVER])).toEqual([
        { receiver: RECEIVER, client: CLIENT, count: 1, oldestAt: AT + DAY_MS },
      ]);
    }));
}

function describeKeeping(open: OpenStore): void {
  test('S-137: nothing is written for a receiver that is off, until it is on', () =>
    telling(open, async (store) => {
      const { outbox } = store;
      await ENDS.rejected(store, await inserted(store));
      const off = { receiver: RECEIVER, client: CLIENT, at: AT };
      const answers = await Promise.all(Array.from({ length: 8 }, () => outbox.switchOff(off)));
      expect(answers.filter(Boolean)).toHaveLength(1);
      expect(await outbox.switchedOff()).toEqual([off]);
      await ENDS.rejected(store, await inserted(store));
      const gone = { receiver: RECEIVER, at: AT, answer: '410', limit: MANY, isOldestFirst: false };
      expect(await outbox.giveUp(gone)).toBe(1);
      expect(await outbox.waiting(MANY)).toEqual([]);
      expect(await outbox.givenUp(null, MANY)).toMatchObject([{ answer: '410' }]);
      expect(await outbox.switchOn(RECEIVER)).toBe(true);
      expect(await outbox.switchOn(RECEIVER)).toBe(false);
      await ENDS.rejected(store, await inserted(store));
      const [waiting] = await outbox.waiting(MANY);
      expect(waiting).toEqual({
        receiver: RECEIVER,
        client: CLIENT,
        count: 1,
        oldestAt: START + 2,
      });
    }));

  test('S-138: what has ended long ago goes, and what waits too long is given up', () =>
    telling(open, async (store) => {
      const { outbox } = store;
      for (const _ of [1, 2, 3]) await ENDS.rejected(store, await inserted(store));
      const [delivered, failed] = await leased(store, RECEIVER, AT, 2);
      if (delivered === undefined || failed === undefined) throw new Error('nothing is due');
      await outbox.delivered(delivered.deliveryId, '200', AT);
      await outbox.failed({ delivery: failed, answer: '500', at: AT, nextAt: null });
      const none = { deliveredBefore: AT, givenUpBefore: AT, sinceBefore: START, at: AT };
      const clear = (bounds: Partial<EndedBefore>) =>
        outbox.clear({ ...none, limit: MANY, ...bounds });
      expect(await clear({})).toEqual({ most: 0, givenUp: [] });
      expect(await clear({ deliveredBefore: AT + 1 })).toEqual({ most: 1, givenUp: [] });
      expect(await clear({ sinceBefore: AT })).toEqual({ most: 1, givenUp: [RECEIVER] });
      expect(await outbox.waiting(MANY)).toEqual([]);
      expect(await outbox.givenUp(null, MANY)).toHaveLength(2);
      expect(await clear({ givenUpBefore: AT + 1, limit: 1 })).toEqual({ most: 1, givenUp: [] });
      expect(await outbox.givenUp(null, MANY)).toHaveLength(1);
    }));
}
