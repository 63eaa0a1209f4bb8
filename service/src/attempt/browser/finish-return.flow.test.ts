import { expect, it, vi } from 'vitest';
import {
  opening,
  redirectTransaction,
  sampleAttempt,
  samplePerson,
  START,
} from '../../../test/conformance/samples.ts';
import { attemptTokenDigest } from '../attempt.ts';
import { browserDigest } from './browser-secret.ts';
import { simulatorClient, ClientList } from '../../account/client.ts';
import type { Exchanged, RemoteProvider } from '../../provider/identity-provider.port.ts';
import { Refusal } from '../../errors/refusal.ts';
import { stateDigest } from '../provider-transaction.ts';
import { LIVE_RULES } from '../rules.ts';
import { createMeter } from '../../operate/metrics/meter.ts';
import { MemoryAttemptLock } from '../../platform/coordination/memory-coordination.ts';
import { createMemoryStore } from '../../store/index.ts';
import { finishReturn } from './finish-return.flow.ts';
import { HeldSpoils, type LiveServices } from '../services.flow.ts';
import { issueApiToken } from '../redeem/issue-api-token.flow.ts';
import { RepeatedEvents } from '../../audit/repeated-events.flow.ts';

const STATE = 'state';
const SECRET = 'the secret of the launching browser';
const TOKEN = 'the attempt token';
const NOW = START + 10;
const APPLICATION = 'https://app.example/back';

const unavailable = () => Promise.reject(new Refusal('storage.unavailable'));

const approved = () => ({ status: 'approved', person: samplePerson() }) as const;

/** A launched attempt, and a store that can't write the spoiled mark. */
async function setUp() {
  const store = createMemoryStore();
  const exchange = vi.fn<() => Promise<Exchanged>>(async () => approved());
  const verifyKept = vi.fn<RemoteProvider['verifyKept']>(async () => approved());
  const services = {
    store,
    heldSpoils: new HeldSpoils(),
    repeated: new RepeatedEvents(),
    attemptLock: new MemoryAttemptLock(),
    meter: createMeter({ mode: 'live', version: '0' }),
    random: { bytes: (length: number) => new Uint8Array(length) },
    keys: { current: new Uint8Array(32), retired: [] },
    provider: { exchange, verifyKept },
    rules: LIVE_RULES,
    clients: new ClientList([simulatorClient(APPLICATION)]),
  } as unknown as LiveServices;
  const attempt = sampleAttempt({
    flow: 'oidc',
    tokenDigest: attemptTokenDigest(TOKEN),
    returnAddress: APPLICATION,
  });
  await store.insertAttempt(attempt);
  const transaction = redirectTransaction({ stateDigest: stateDigest(STATE) });
  await store.openTransaction(opening(attempt, { transaction, providerExpiresAt: null }));
  await store.bindBrowser(attempt.attemptId, browserDigest(SECRET), NOW);
  const spoil = vi.spyOn(store, 'spoilAttempt').mockImplementation(unavailable);
  const comeBack = (cookie: string | null) => finishReturn(services, returnWith(cookie), NOW);
  return { store, services, attempt, exchange, verifyKept, spoil, comeBack };
}

const returnWith = (cookie: string | null) => ({
  state: STATE,
  cookieOf: () => cookie,
  admit: async () => undefined,
  admitStranger: async () => undefined,
  address: '127.0.0.1',
});

const MISMATCH = { code: 'callback.browser_mismatch' };

it('what the store could not take holds: the launching browser is refused, and nobody is asked', async () => {
  const { store, attempt, exchange, comeBack } = await setUp();
  await expect(comeBack(null)).rejects.toMatchObject(MISMATCH);
  await expect(comeBack(SECRET)).rejects.toMatchObject(MISMATCH);
  expect(exchange).not.toHaveBeenCalled();
  expect((await store.findAttempt(attempt.attemptId))?.attempt.failedAt).toBe(NOW);
});

it('it holds for an exchange that was under way', async () => {
  const { store, attempt, exchange, comeBack } = await setUp();
  const gate = Promise.withResolvers<void>();
  exchange.mockImplementation(async () => gate.promise.then(() => approved()));
  const exchanging = comeBack(SECRET);
  await expect(comeBack(null)).rejects.toMatchObject(MISMATCH);
  gate.resolve();
  await expect(exchanging).rejects.toMatchObject(MISMATCH);
  expect((await store.findAttempt(attempt.attemptId))?.attempt.authenticatedAt).toBeNull();
});

it('it holds for what was finished before: neither a new code nor a token', async () => {
  const { store, services, attempt, comeBack } = await setUp();
  await comeBack(SECRET);
  await expect(comeBack(null)).rejects.toMatchObject(MISMATCH);
  const { attemptId, client } = attempt;
  const request = {
    attemptId,
    attemptToken: TOKEN,
    client,
    deviceName: null,
    completionCode: null,
    idempotencyKey: null,
  };
  await expect(issueApiToken(services, request, NOW)).rejects.toMatchObject({
    code: 'attempt.failed',
  });
  await expect(comeBack(SECRET)).rejects.toMatchObject({ code: 'attempt.not_found' });
  expect((await store.findAttempt(attempt.attemptId))?.attempt.failedAt).toBe(NOW);
});

it('another try of the same stranger is stored, once the store can', async () => {
  const { store, services, attempt, spoil, comeBack } = await setUp();
  await expect(comeBack(null)).rejects.toMatchObject(MISMATCH);
  spoil.mockRestore();
  await expect(comeBack(null)).rejects.toMatchObject(MISMATCH);
  const found = await store.findTransaction(attempt.attemptId);
  expect(found?.transaction).toMatchObject({ spoiledAt: NOW, launchUrl: null });
  expect(services.heldSpoils.has(attempt.attemptId)).toBe(false);
});

/** A token whose key can't be known yet. */
const unverified = async () =>
  ({
    status: 'unverified',
    kept: { token: 'a.b.c', cameAt: NOW },
    refusal: new Refusal('provider.unavailable', { retryAfterSeconds: 7 }),
  }) as const;

it('what can not be verified yet is kept, and the state is not exchanged again', async () => {
  const { exchange, verifyKept, comeBack } = await setUp();
  exchange.mockImplementationOnce(unverified);
  verifyKept.mockImplementationOnce(unverified);
  expect(await comeBack(SECRET)).toMatchObject({ waitSeconds: 7 });
  expect(await comeBack(SECRET)).toMatchObject({ waitSeconds: 7 });
  expect(await comeBack(SECRET)).toHaveProperty('completionCode');
  expect(exchange).toHaveBeenCalledTimes(1);
  expect(verifyKept.mock.calls.map(([kept]) => kept)).toEqual([
    { token: 'a.b.c', cameAt: NOW },
    { token: 'a.b.c', cameAt: NOW },
  ]);
});

it('a token that was lost between the exchange and its write ends the attempt clearly', async () => {
  const { store, attempt, exchange, comeBack } = await setUp();
  exchange.mockImplementationOnce(unverified);
  const keep = vi.spyOn(store, 'keepTokens').mockImplementationOnce(unavailable);
  await expect(comeBack(SECRET)).rejects.toMatchObject({ code: 'storage.unavailable' });
  // The provider no longer has the state.
  exchange.mockImplementationOnce(async () => ({ status: 'refused' }) as const);
  expect(await comeBack(SECRET)).toMatchObject({ error: 'access_denied' });
  expect(keep).toHaveBeenCalledTimes(1);
  const { attempt: ended } = (await store.findAttempt(attempt.attemptId)) ?? {};
  expect(ended).toMatchObject({ rejectedAt: NOW, endReason: 'attempt.rejected' });
});

it('an attempt that ends while its token can not be verified is not kept open', async () => {
  const { store, attempt, exchange, comeBack } = await setUp();
  exchange.mockImplementationOnce(async () => {
    await store.cancelAttempt({ attemptId: attempt.attemptId, at: NOW });
    return unverified();
  });
  await expect(comeBack(SECRET)).rejects.toMatchObject({ code: 'attempt.not_found' });
});
