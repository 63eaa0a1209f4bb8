import { expect, it, vi } from 'vitest';
import {
  digestNamed,
  opening,
  redirectTransaction,
  sampleAttempt,
  START,
} from '../../../test/conformance/samples.ts';
import { browserDigest } from './browser-secret.ts';
import { simulatorClient, ClientList } from '../../account/client.ts';
import { Refusal } from '../../errors/refusal.ts';
import type { AttemptReference } from '../../provider/identity-provider.port.ts';
import { createMeter } from '../../operate/metrics/meter.ts';
import { MemoryAttemptLock } from '../../platform/coordination/memory-coordination.ts';
import { createMemoryStore } from '../../store/index.ts';
import { launch } from './launch.flow.ts';
import { RepeatedEvents } from '../../audit/repeated-events.flow.ts';
import type { LiveServices } from '../services.flow.ts';

const SECRET = 'the secret of the launching browser';
const NOW = START + 10;
const APPLICATION = 'https://app.example/back';

/** An attempt in Arabic that no browser has launched, and a provider that opens sessions. */
async function setUp() {
  const store = createMemoryStore();
  const openRedirect = vi.fn(async ({ locale }: AttemptReference) => ({
    bindingCode: null,
    expiresAt: null,
    transaction: redirectTransaction({ launchUrl: `https://provider.example/${locale}` }),
  }));
  const services = {
    store,
    repeated: new RepeatedEvents(),
    attemptLock: new MemoryAttemptLock(),
    meter: createMeter({ mode: 'live', version: '0' }),
    provider: { openRedirect },
    clients: new ClientList([simulatorClient(APPLICATION)]),
  } as unknown as LiveServices;
  const attempt = sampleAttempt({ flow: 'oidc', locale: 'ar', returnAddress: APPLICATION });
  const { attemptId } = attempt;
  const old = redirectTransaction({ launchUrl: 'https://provider.example/old' });
  await store.insertAttempt(attempt);
  await store.openTransaction(opening(attempt, { transaction: old, providerExpiresAt: null }));
  const press = async (locale: 'ar' | 'en' | null, browser = SECRET) => {
    const pressed = {
      attemptId,
      browser,
      locale,
      address: '192.0.2.7',
      admit: async () => undefined,
    };
    return (await launch(services, pressed, NOW)).launchUrl;
  };
  return { store, attempt, old, openRedirect, press };
}

const OLD = 'https://provider.example/old';
const IN_ENGLISH = 'https://provider.example/en';
const MISMATCH = { code: 'callback.browser_mismatch' };

it('another language opens one session in it, which the browser is bound to', async () => {
  const { store, attempt, old, openRedirect, press } = await setUp();
  expect(await press('en')).toBe(IN_ENGLISH);
  expect(openRedirect.mock.calls).toMatchObject([
    [{ attemptId: attempt.attemptId, locale: 'en' }, { address: '192.0.2.7' }],
  ]);
  expect(await store.findByState(old.stateDigest)).toBeNull();
  const found = await store.findTransaction(attempt.attemptId);
  expect(found?.transaction).toMatchObject({ browserDigest: browserDigest(SECRET) });
  expect(found?.attempt.locale).toBe('ar');
});

it.each(['ar', null] as const)('%s, the language of the attempt, asks nobody', async (locale) => {
  const { openRedirect, press } = await setUp();
  expect(await press(locale)).toBe(OLD);
  expect(openRedirect).not.toHaveBeenCalled();
});

it('two presses at once open one session, and both lead to it', async () => {
  const { openRedirect, press } = await setUp();
  expect(await Promise.all([press('en'), press('en')])).toEqual([IN_ENGLISH, IN_ENGLISH]);
  expect(openRedirect).toHaveBeenCalledTimes(1);
});

it('two browsers at once: one session, and the second browser is refused', async () => {
  const { openRedirect, press } = await setUp();
  const [first, second] = await Promise.allSettled([press('en'), press('en', 'another')]);
  expect(first).toEqual({ status: 'fulfilled', value: IN_ENGLISH });
  expect(second).toMatchObject({ status: 'rejected', reason: MISMATCH });
  expect(openRedirect).toHaveBeenCalledTimes(1);
});

it('after the launch no language opens another session', async () => {
  const { openRedirect, press } = await setUp();
  expect(await press('ar')).toBe(OLD);
  expect(await press('en')).toBe(OLD);
  await expect(press('en', 'another')).rejects.toMatchObject(MISMATCH);
  expect(openRedirect).not.toHaveBeenCalled();
});

it.each(['provider.unavailable', 'provider.timeout', 'provider.bad_response'] as const)(
  'a provider that ends in %s leaves the sign-in in the language of the attempt',
  async (code) => {
    const { store, attempt, old, openRedirect, press } = await setUp();
    openRedirect.mockRejectedValueOnce(new Refusal(code));
    expect(await press('en')).toBe(OLD);
    // The first press bound the browser, so the provider is not asked again.
    expect(await press('en')).toBe(OLD);
    expect(openRedirect).toHaveBeenCalledTimes(1);
    const bound = { ...old, browserDigest: browserDigest(SECRET) };
    expect((await store.findTransaction(attempt.attemptId))?.transaction).toEqual(bound);
  },
);

it('a fault of our own is no outage', async () => {
  const { openRedirect, press } = await setUp();
  openRedirect.mockRejectedValueOnce(new TypeError('a bug'));
  await expect(press('en')).rejects.toThrow('a bug');
});

it.each([
  ['the same browser, it goes where that press has led', SECRET, 'fulfilled'],
  ['another browser, it is refused', 'another', 'rejected'],
] as const)('a launch that overtakes the session: of %s', async (_, other, status) => {
  const { openRedirect, old, store, press } = await setUp();
  const gate = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  openRedirect.mockImplementationOnce(async () => {
    asked.resolve();
    await gate.promise;
    return { bindingCode: null, expiresAt: null, transaction: redirectTransaction() };
  });
  const first = Promise.allSettled([press('en')]);
  await asked.promise;
  expect(await press('ar', other)).toBe(OLD);
  gate.resolve();
  const value = status === 'fulfilled' ? { value: OLD } : { reason: MISMATCH };
  expect(await first).toMatchObject([{ status, ...value }]);
  const found = await store.findByState(old.stateDigest);
  expect(found?.transaction).toMatchObject({ browserDigest: browserDigest(other) });
});

it('an attempt that was spoiled while the provider was asked is launched by nobody', async () => {
  const { openRedirect, store, attempt, press } = await setUp();
  openRedirect.mockImplementationOnce(async () => {
    await store.spoilAttempt(attempt.attemptId, NOW);
    return { bindingCode: null, expiresAt: null, transaction: redirectTransaction() };
  });
  await expect(press('en')).rejects.toMatchObject(MISMATCH);
  expect(await store.bindBrowser(attempt.attemptId, digestNamed('any'), NOW)).toBe(false);
});
