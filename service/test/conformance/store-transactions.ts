import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AttemptRecord } from '../../src/attempt/attempt.ts';
import type { ProviderTransaction } from '../../src/attempt/provider-transaction.ts';
import { MINUTE_MS } from '../../src/values/time.ts';
import type { Store } from '../../src/store/ports/store.port.ts';
import {
  authentication,
  digestNamed,
  nextSerial,
  opening,
  pushTransaction,
  redirectTransaction,
  sampleAttempt,
  START,
  storableText,
} from './samples.ts';
import { ENDS, inserted, opened, openedPush } from './store-states.ts';
import { useStore, withStore, type OpenStore } from './store-under-test.ts';

const RACERS = 64;
const NOW = START + 2;
const EXPIRES_AT = START + MINUTE_MS;

const text = storableText(200);
const digest = fc.option(text.map(digestNamed), { nil: null });

const transactions: fc.Arbitrary<ProviderTransaction> = fc.oneof(
  fc
    .record({ launchUrl: fc.option(text, { nil: null }), nonce: text, browserDigest: digest })
    .map((fields) => redirectTransaction(fields)),
  fc
    .record({ spoiledAt: fc.nat(), browserDigest: digest })
    .map((fields) => redirectTransaction({ ...fields, launchUrl: null })),
  fc
    .record({ completedSeenAt: fc.option(fc.nat(), { nil: null }) })
    .map((fields) => pushTransaction(fields)),
);

export function transactionTests(open: OpenStore): void {
  const store = useStore(open);
  openingTests(store);
  lookupTests(store);
  phoneTests(store);
  expiryTests(store);

  test('S-17: a purged attempt takes its transaction along, and no other', () =>
    withStore(open, async (own) => {
      const old = await opened(own, redirectTransaction());
      const young = await opened(own, redirectTransaction(), { createdAt: START + MINUTE_MS });
      const counts = await own.purge({
        expiredBefore: EXPIRES_AT + 1,
        redeemedBefore: 0,
        limit: 1,
      });
      expect(counts.attempts).toBe(1);
      const found = await Promise.all(
        [old, young].map(({ attemptId }) => own.findTransaction(attemptId)),
      );
      expect(found.filter((one) => one !== null)).toHaveLength(1);
    }));
}

function openingTests(store: () => Store): void {
  test('S-40: the answer of the provider becomes the attempt’s own', async () => {
    const attempt = await inserted(store(), { bindingCode: null });
    const change = opening(attempt);
    const { bindingCode, providerExpiresAt } = change;
    const after = { ...attempt, bindingCode, providerExpiresAt };
    expect(await store().openTransaction(change)).toEqual(after);
    const found = await store().findTransaction(attempt.attemptId);
    expect(found).toEqual({ attempt: after, transaction: change.transaction });
    expect((await store().findAttempt(attempt.attemptId))?.attempt).toEqual(after);
  });

  test('S-40: a transaction is opened once', async () => {
    const attempt = await inserted(store());
    const first = opening(attempt);
    const after = await store().openTransaction(first);
    const second = opening(attempt, { bindingCode: '77', transaction: redirectTransaction() });
    expect(await store().openTransaction(second)).toBeNull();
    expect(await store().openTransaction(first)).toBeNull();
    const found = await store().findTransaction(attempt.attemptId);
    expect(found).toEqual({ attempt: after, transaction: first.transaction });
  });

  test(`S-40: of ${RACERS} openings at once one succeeds`, async () => {
    const attempt = await inserted(store());
    const changes = Array.from({ length: RACERS }, () => opening(attempt));
    const results = await Promise.all(changes.map((change) => store().openTransaction(change)));
    const winners = changes.filter((_, index) => results[index] !== null);
    expect(winners).toHaveLength(1);
    const found = await store().findTransaction(attempt.attemptId);
    expect(found?.transaction).toEqual(winners[0]?.transaction);
  });

  test.each(Object.entries(ENDS))('S-40: never for an attempt that is %s', async (_, end) => {
    const attempt = await inserted(store());
    await end(store(), attempt);
    await expectUnopened(store(), attempt, NOW);
  });

  test('S-40: up to, and not at, the expiry; nor for an unknown attempt', async () => {
    const early = await inserted(store());
    const at = early.expiresAt;
    expect(await store().openTransaction(opening(early, { at: at - 1 }))).not.toBeNull();
    await expectUnopened(store(), await inserted(store()), at);
    await expectUnopened(store(), sampleAttempt(), NOW);
  });

  test.each([
    ['redirect', redirectTransaction()],
    ['push', pushTransaction()],
  ])('S-40: the same %s belongs to one attempt', async (_, transaction) => {
    await opened(store(), transaction);
    const other = await inserted(store());
    const again = store().openTransaction(opening(other, { transaction }));
    await expect(again).rejects.toThrow(Error);
    expect(await store().findTransaction(other.attemptId)).toBeNull();
    expect((await store().findAttempt(other.attemptId))?.attempt).toEqual(other);
  });
}

function lookupTests(store: () => Store): void {
  test('S-41: a transaction comes back exactly as it was written', () =>
    fc.assert(
      fc.asyncProperty(transactions, async (transaction) => {
        const attempt = await opened(store(), transaction);
        const found = { attempt, transaction };
        expect(await store().findTransaction(attempt.attemptId)).toEqual(found);
        if (transaction.kind === 'push') return;
        expect(await store().findByState(transaction.stateDigest)).toEqual(found);
      }),
    ));

  test('S-41: what is not there is null', async () => {
    const { attemptId } = await inserted(store());
    expect(await store().findTransaction(attemptId)).toBeNull();
    expect(await store().findTransaction(sampleAttempt().attemptId)).toBeNull();
    expect(await store().findByState(`state ${nextSerial()}`)).toBeNull();
    const { transactionId } = await openedPush(store());
    expect(await store().findByState(transactionId)).toBeNull();
  });
}

function phoneTests(store: () => Store): void {
  test('S-45: the first moment stays', async () => {
    const { attemptId } = await openedPush(store());
    expect(await store().recordApprovalSeen(attemptId, NOW + 5)).toBe(NOW + 5);
    expect(await store().recordApprovalSeen(attemptId, NOW + 9)).toBe(NOW + 5);
    expect(await store().recordApprovalSeen(attemptId, NOW + 1)).toBe(NOW + 5);
    const found = await store().findTransaction(attemptId);
    expect(found?.transaction).toMatchObject({ completedSeenAt: NOW + 5 });
  });

  test(`S-45: of ${RACERS} moments at once one stays, and all hear of it`, async () => {
    const { attemptId } = await openedPush(store());
    const racers = Array.from({ length: RACERS }, (_, ms) =>
      store().recordApprovalSeen(attemptId, NOW + ms),
    );
    const heard = new Set(await Promise.all(racers));
    const found = await store().findTransaction(attemptId);
    expect(found?.transaction).toMatchObject({ completedSeenAt: [...heard][0] });
    expect(heard.size).toBe(1);
  });

  test.each(Object.entries(ENDS))('S-45: not of an attempt that is %s', async (_, end) => {
    const attempt = await opened(store(), pushTransaction());
    await end(store(), attempt);
    expect(await store().recordApprovalSeen(attempt.attemptId, NOW)).toBeNull();
    const found = await store().findTransaction(attempt.attemptId);
    expect(found?.transaction).toMatchObject({ completedSeenAt: null });
  });

  test('S-45: up to, and not at, the expiry; and only of a push', async () => {
    const { attemptId } = await openedPush(store());
    expect(await store().recordApprovalSeen(attemptId, EXPIRES_AT)).toBeNull();
    expect(await store().recordApprovalSeen(attemptId, EXPIRES_AT - 1)).toBe(EXPIRES_AT - 1);
    const redirect = await opened(store(), redirectTransaction());
    expect(await store().recordApprovalSeen(redirect.attemptId, NOW)).toBeNull();
    expect(await store().recordApprovalSeen(sampleAttempt().attemptId, NOW)).toBeNull();
  });
}

function expiryTests(store: () => Store): void {
  test('S-48: the push ends, and its attempt has expired', async () => {
    const { attemptId } = await openedPush(store());
    expect(await store().expirePush(attemptId, NOW)).toBe(true);
    const found = await store().findAttempt(attemptId);
    expect(found?.attempt).toMatchObject({ providerExpiresAt: NOW, failedAt: null });
    const late = authentication(sampleAttempt({ attemptId }), { at: NOW });
    expect(await store().authenticateAttempt(late)).toBeNull();
    expect(await store().expirePush(attemptId, NOW + 1)).toBe(false);
  });

  test.each(Object.entries(ENDS))('S-48: not of an attempt that is %s', async (_, end) => {
    const attempt = await opened(store(), pushTransaction());
    await end(store(), attempt);
    const before = await store().findAttempt(attempt.attemptId);
    expect(await store().expirePush(attempt.attemptId, NOW + 5)).toBe(false);
    expect(await store().findAttempt(attempt.attemptId)).toEqual(before);
  });

  test('S-48: only of a push, and not before it was opened', async () => {
    const redirect = await opened(store(), redirectTransaction());
    const unopened = await inserted(store());
    for (const { attemptId } of [redirect, unopened, sampleAttempt()]) {
      expect(await store().expirePush(attemptId, NOW)).toBe(false);
    }
  });
}

async function expectUnopened(store: Store, attempt: AttemptRecord, at: number): Promise<void> {
  const before = await store.findAttempt(attempt.attemptId);
  expect(await store.openTransaction(opening(attempt, { at }))).toBeNull();
  expect(await store.findTransaction(attempt.attemptId)).toBeNull();
  expect(await store.findAttempt(attempt.attemptId)).toEqual(before);
}
