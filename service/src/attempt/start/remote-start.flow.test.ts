import { expect, it, vi } from 'vitest';
import { opening, sampleAttempt, START } from '../../../test/conformance/samples.ts';
import { Refusal } from '../../errors/refusal.ts';
import { UNKNOWN_IDS } from '../../values/limits.ts';
import { ClientList } from '../../account/client.ts';
import { parseNationalId } from '../../account/user.ts';
import { LIVE_RULES } from '../rules.ts';
import { createMeter } from '../../operate/metrics/meter.ts';
import { MemoryAttemptLock } from '../../platform/coordination/memory-coordination.ts';
import type { RemoteProvider } from '../../provider/identity-provider.port.ts';
import { createMemoryStore } from '../../store/index.ts';
import { RepeatedEvents } from '../../audit/repeated-events.flow.ts';
import { localStart, remoteStart } from './start-attempt.flow.ts';

const NOW = START + 1;
const WANTED = { endUser: { address: '127.0.0.1' } };
const STORAGE = new Refusal('storage.unavailable');

const unavailable = () => Promise.reject(STORAGE);

/** A provider that refuses every start, and the flow that asks it. */
function refusedWith(error: Error) {
  const store = createMemoryStore();
  const logFailure = vi.fn<(failure: unknown, message: string) => void>();
  const counted = { allowed: true, remaining: 0, endsAt: 1 };
  const unknownIds = { peek: async () => counted, consume: vi.fn(async () => counted) };
  const services = {
    store,
    logFailure,
    unknownIds,
    attemptLock: new MemoryAttemptLock(),
    meter: createMeter({ mode: 'live', version: '0' }),
    repeated: new RepeatedEvents(),
    withdrawPrompt: vi.fn<() => void>(),
    rules: LIVE_RULES,
    clients: new ClientList([]),
    keys: { current: new Uint8Array(32), retired: [] },
  } as unknown as Parameters<typeof remoteStart>[0];
  const refuse = vi.fn().mockRejectedValue(error);
  const provider = { hasPhoneFlow: true, openRedirect: refuse, requestPush: refuse };
  const start = remoteStart(services, provider as unknown as RemoteProvider);
  const local = localStart(services, provider as unknown as Parameters<typeof localStart>[1]);
  const push = sampleAttempt({ flow: 'mfa', nationalId: parseNationalId('1000001101') });
  return { store, services, logFailure, unknownIds, start, local, push };
}

const unsent = () => new Refusal('provider.unavailable', { isUnsent: true });
const unknown = () => new Refusal('provider.record_not_found');

it.each(['redirect', 'push'] as const)(
  'the caller of a %s gets the error of the provider, also when the attempt cannot be ended',
  async (flow) => {
    const error = unknown();
    const { store, start, push, logFailure } = refusedWith(error);
    store.failAttempt = unavailable;
    const record = flow === 'push' ? push : sampleAttempt({ flow: 'oidc' });
    await expect(start[flow](record, WANTED, NOW)).rejects.toBe(error);
    expect(logFailure).toHaveBeenCalledExactlyOnceWith(STORAGE, expect.any(String));
  },
);

it.each(['start', 'local'] as const)(
  'the error of the provider stays, when an unsent push cannot be taken back: %s',
  async (kind) => {
    const error = unsent();
    const flow = refusedWith(error);
    flow.store.withdrawPush = unavailable;
    await expect(flow[kind].push(flow.push, WANTED, NOW)).rejects.toBe(error);
    expect(flow.logFailure).toHaveBeenCalledExactlyOnceWith(STORAGE, expect.any(String));
  },
);

it('the error of the provider stays, when the unknown number cannot be reported', async () => {
  const error = unknown();
  const { store, start, push, logFailure, unknownIds } = refusedWith(error);
  store.recordEvent = unavailable;
  await expect(start.push(push, WANTED, NOW)).rejects.toBe(error);
  expect(unknownIds.consume).toHaveBeenCalledExactlyOnceWith(UNKNOWN_IDS, push.client, NOW);
  expect(logFailure).toHaveBeenCalledExactlyOnceWith(STORAGE, expect.any(String));
  expect((await store.findAttempt(push.attemptId))?.attempt).toMatchObject({
    failedAt: NOW,
    endReason: 'provider.record_not_found',
  });
});

it('a push that goes to nobody is our own mistake, not a spent budget', async () => {
  const { start, push } = refusedWith(unsent());
  const record = { ...push, attemptId: sampleAttempt().attemptId, nationalId: null };
  const thrown = await start.push(record, WANTED, NOW).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(Error);
  expect(thrown).not.toBeInstanceOf(Refusal);
});

it('one of two presses for the same sign-in is cancelled, and has not failed', async () => {
  const { store, services } = refusedWith(unknown());
  const { transaction } = opening(sampleAttempt());
  const openRedirect = async () => ({ bindingCode: null, expiresAt: null, transaction });
  const start = remoteStart(services, { openRedirect } as unknown as RemoteProvider);
  const record = sampleAttempt({ flow: 'oidc' });
  const begunFor = { model: 'Interaction', id: 'linked to another', from: null };
  await expect(start.redirect(record, { ...WANTED, begunFor }, NOW)).rejects.toMatchObject({
    code: 'attempt.not_found',
  });
  expect((await store.findAttempt(record.attemptId))?.attempt).toMatchObject({
    failedAt: null,
    endReason: 'attempt.cancelled',
  });
});
