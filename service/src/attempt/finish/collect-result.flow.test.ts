import { expect, it } from 'vitest';
import { LIVE_RULES } from '../rules.ts';
import { createMeter } from '../../operate/metrics/meter.ts';
import { createMemoryStore } from '../../store/index.ts';
import { authentication, sampleAttempt, START } from '../../../test/conformance/samples.ts';
import { storeResult, type CollectServices } from './collect-result.flow.ts';

const FAILED = { result: 'failed', reason: 'provider.mismatch' } as const;
const AT = START + 10;

function pendingIn(store = createMemoryStore()) {
  const services = {
    store,
    rules: LIVE_RULES,
    meter: createMeter({ mode: 'live', version: '0' }),
    serverKey: new Uint8Array(32),
    otherKeys: [],
  } as unknown as CollectServices;
  const attempt = sampleAttempt();
  const fail = () =>
    storeResult(services, { attempt, user: null }, FAILED, { at: AT, completion: null });
  return { store, attempt, fail };
}

it('a failure gives the attempt as it was written', async () => {
  const { store, attempt, fail } = pendingIn();
  await store.insertAttempt(attempt);
  expect(await fail()).toEqual(await store.findAttempt(attempt.attemptId));
});

it('an attempt that was authenticated since it was read fails with its user', async () => {
  const { store, attempt, fail } = pendingIn();
  await store.insertAttempt(attempt);
  const login = await store.authenticateAttempt(authentication(attempt));
  expect(await fail()).toMatchObject({ attempt: { failedAt: AT }, user: login?.user });
});

it('an attempt that somebody else has ended since is read again', async () => {
  const { store, attempt, fail } = pendingIn();
  await store.insertAttempt(attempt);
  await store.rejectAttempt({
    attemptId: attempt.attemptId,
    at: AT - 1,
    reason: 'attempt.rejected',
  });
  expect(await fail()).toMatchObject({ attempt: { rejectedAt: AT - 1, failedAt: null } });
});
