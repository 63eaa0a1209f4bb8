import { expect, it, vi } from 'vitest';
import { authentication, sampleAttempt, START } from '../../test/conformance/samples.ts';
import { NO_ATTEMPT_ID } from '../values/ids.ts';
import { attemptTokenDigest } from './attempt.ts';
import { createMeter } from '../operate/metrics/meter.ts';
import { createMemoryStore } from '../store/index.ts';
import { findProvenAttempt, storeResult, type CollectServices } from './read-attempt.flow.ts';
import { LIVE_RULES } from './rules.ts';
import type { Services } from './services.flow.ts';

const TOKEN = 'the right token';

it('finds the attempt of its token', async () => {
  const store = createMemoryStore();
  const attempt = sampleAttempt({ tokenDigest: attemptTokenDigest(TOKEN) });
  await store.insertAttempt(attempt);
  const services = { store } as unknown as Services;
  expect((await findProvenAttempt(services, attempt.attemptId, TOKEN)).attempt).toEqual(attempt);
});

// Threats 17 and 18: the same work in all three cases. `npm run timing` measures it.
it('does one and the same look-up for a wrong token, an unknown id and what is no id', async () => {
  const store = createMemoryStore();
  const [known, unknown] = [sampleAttempt(), sampleAttempt()];
  await store.insertAttempt(known);
  const proven = vi.spyOn(store, 'findProvenAttempt');
  const services = { store: { findProvenAttempt: store.findProvenAttempt.bind(store) } };
  const ids = [known.attemptId, unknown.attemptId, known.attemptId.toUpperCase(), 'x', ''];
  for (const id of ids) {
    const looked = findProvenAttempt(services as unknown as Services, id, TOKEN);
    await expect(looked).rejects.toMatchObject({ code: 'attempt.not_found' });
  }
  const digest = attemptTokenDigest(TOKEN);
  expect(proven.mock.calls).toEqual(
    [known.attemptId, unknown.attemptId, known.attemptId, NO_ATTEMPT_ID, NO_ATTEMPT_ID].map(
      (id) => [id, digest],
    ),
  );
});

const FAILED = { result: 'failed', reason: 'provider.mismatch' } as const;
const AT = START + 10;

function pendingIn(store = createMemoryStore()) {
  const services = {
    store,
    rules: LIVE_RULES,
    meter: createMeter({ mode: 'live', version: '0' }),
    keys: { current: new Uint8Array(32), retired: [] },
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
