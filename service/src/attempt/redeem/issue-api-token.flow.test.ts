import { expect, it, vi } from 'vitest';
import { authentication, sampleAttempt, START } from '../../../test/conformance/samples.ts';
import { attemptTokenDigest } from '../attempt.ts';
import { COMPLETION_CODE_TRIES, completionCodeDigest } from './completion-code.ts';
import type { Refusal } from '../../errors/refusal.ts';
import { LIVE_RULES } from '../rules.ts';
import { createMeter } from '../../operate/metrics/meter.ts';
import { createMemoryStore } from '../../store/index.ts';
import { HeldSpoils, type LiveServices } from '../services.flow.ts';
import { RepeatedEvents } from '../../audit/repeated-events.flow.ts';
import { issueApiToken } from './issue-api-token.flow.ts';

const TOKEN = 'the attempt token';
const CODE = 'the completion code';
const NOW = START + 10;

/** An attempt of the redirect flow that can be redeemed. */
async function authenticated() {
  const store = createMemoryStore();
  const heldSpoils = new HeldSpoils();
  const services = {
    store,
    heldSpoils,
    repeated: new RepeatedEvents(),
    meter: createMeter({ mode: 'live', version: '0' }),
    random: { bytes: (length: number) => new Uint8Array(length) },
    keys: { current: new Uint8Array(32), retired: [] },
    tokenLifetimeMs: 1000,
    rules: LIVE_RULES,
    clients: { find: (id: string) => ({ id, type: 'confidential' }) },
  } as unknown as LiveServices;
  const attempt = sampleAttempt({ flow: 'oidc', tokenDigest: attemptTokenDigest(TOKEN) });
  await store.insertAttempt(attempt);
  const completion = { digest: completionCodeDigest(CODE), expiresAt: NOW + 1000 };
  await store.authenticateAttempt(authentication(attempt, { completion }));
  const request = {
    attemptId: attempt.attemptId,
    attemptToken: TOKEN,
    client: attempt.client,
    deviceName: null,
    completionCode: CODE,
    idempotencyKey: null,
  };
  return {
    store,
    heldSpoils,
    services,
    attempt,
    issue: (given: Partial<typeof request> = {}, at = NOW) =>
      issueApiToken(services, { ...request, ...given }, at),
  };
}

it('an attempt that is spoiled while it is being redeemed yields no token', async () => {
  const { store, heldSpoils, attempt, issue } = await authenticated();
  const { attemptId } = attempt;
  // The strange browser comes back after the first look at the mark, and before the write.
  vi.spyOn(heldSpoils, 'has').mockImplementationOnce(() => {
    queueMicrotask(() => heldSpoils.hold(attempt, NOW));
    return false;
  });
  await expect(issue()).rejects.toMatchObject({ code: 'attempt.failed' });
  expect((await store.findAttempt(attemptId))?.attempt).toMatchObject({
    redeemedAt: null,
    failedAt: NOW,
    endReason: 'callback.browser_mismatch',
  });
});

it('what was authenticated after the sign-ins of its person were ended fails, and yields no token', async () => {
  const { store, attempt, issue } = await authenticated();
  const { attemptId, createdAt } = attempt;
  const found = await store.findAttempt(attemptId);
  const user = found?.user ?? expect.unreachable('nobody has signed in');
  // As after an instance of an earlier version, which does not look at the time.
  const ended = { ...user, signInsEndedAt: createdAt };
  vi.spyOn(store, 'findProvenAttempt').mockResolvedValue({
    attempt: found?.attempt ?? attempt,
    user: ended,
  });
  await expect(issue()).rejects.toMatchObject({ code: 'attempt.failed' });
  expect((await store.findAttempt(attemptId))?.attempt).toMatchObject({
    redeemedAt: null,
    failedAt: NOW,
    endReason: 'attempt.failed',
  });
});

it('an attempt that has expired says so, whatever was written too late to end it before', async () => {
  const { store, heldSpoils, attempt, issue } = await authenticated();
  const late = attempt.expiresAt + 60_000;
  heldSpoils.hold(attempt, NOW);
  await expect(issue({}, late)).rejects.toMatchObject({ code: 'attempt.expired' });
  heldSpoils.release(attempt.attemptId);
  const found = await store.findAttempt(attempt.attemptId);
  const user = found?.user ?? expect.unreachable('nobody has signed in');
  vi.spyOn(store, 'findProvenAttempt').mockResolvedValue({
    attempt: found?.attempt ?? attempt,
    user: { ...user, signInsEndedAt: attempt.createdAt },
  });
  await expect(issue({}, late)).rejects.toMatchObject({ code: 'attempt.expired' });
});

it('a wrong code that comes after the last allowed one hears that the attempt has failed', async () => {
  const { issue } = await authenticated();
  const guesses = Array.from({ length: COMPLETION_CODE_TRIES + 1 }, () =>
    issue({ completionCode: 'another code' }).catch((error: unknown) => (error as Refusal).code),
  );
  expect(await Promise.all(guesses)).toEqual([
    ...Array.from({ length: COMPLETION_CODE_TRIES }, () => 'attempt.completion_required'),
    'attempt.failed',
  ]);
});

it('without a spoil the same request is answered with a token', async () => {
  const { issue, attempt } = await authenticated();
  expect((await issue()).token.attemptId).toBe(attempt.attemptId);
});

it('a refused write of an attempt that can still be redeemed has a cause', async () => {
  const { store, issue } = await authenticated();
  store.redeemAttempt = async () => null;
  const thrown = await issue().catch((error: unknown) => error);
  expect(thrown).toMatchObject({ code: 'storage.unavailable' });
  expect((thrown as Refusal).cause).toBeInstanceOf(Error);
});
