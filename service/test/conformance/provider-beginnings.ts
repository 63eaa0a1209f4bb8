import { expect, test } from 'vitest';
import { Refusal } from '../../src/errors/refusal.ts';
import {
  begin,
  expectNothingIn,
  newsOf,
  openForTest,
  refusalOf,
  refusedPush,
  secretsOf,
  type BegunAttempt,
  type ProviderConformance,
} from './provider-under-test.ts';

export function beginningTests(conformance: ProviderConformance): void {
  beginTests(conformance);
  activeTests(conformance);
  faultTests(conformance);
  remoteTests(conformance);
}

function beginTests({ open, cast: { people } }: ProviderConformance): void {
  const [somebody] = people;

  test('P-5, P-10: a push has a number to match, and what a remote provider knows it by', async () => {
    const under = await openForTest(open);
    const { attempt, transaction } = await begin(under, somebody.nationalId);
    expect(attempt.bindingCode).toMatch(/^\d{2,8}$/);
    expect(transaction?.kind ?? null).toBe(under.provider.isRemote ? 'push' : null);
    expect(attempt.expiresAt).toBeGreaterThan(under.now());
    await under.decide({ attempt, transaction }, 'refuse');
  });

  test('P-6: a redirect is opened again in another language, as another session', async () => {
    const under = await openForTest(open);
    const { attempt, transaction } = await begin(under, null);
    const languages = [attempt.locale, attempt.locale === 'ar' ? 'en' : 'ar'] as const;
    const inOther = { ...attempt, locale: languages[1] };
    const again = await under.provider.openRedirect(inOther, { address: null });
    const addresses = [transaction, again.transaction].map((one) =>
      one?.kind === 'redirect' ? (one.launchUrl ?? '') : null,
    );
    if (!under.provider.isRemote) {
      expect(addresses).toEqual([null, null]);
    } else {
      const queries = addresses.map((address) => new URL(address ?? '').searchParams);
      expect(queries.map((query) => query.get('ui_locales'))).toEqual(languages);
      expect(new Set(queries.map((query) => query.get('state'))).size).toBe(2);
    }
  });

  test('P-5, P-10: a redirect has no number, and is never the same one twice', async () => {
    const under = await openForTest(open);
    const begun = [await begin(under, null), await begin(under, null)];
    for (const { attempt } of begun) {
      expect(attempt.bindingCode).toBeNull();
      expect(attempt.expiresAt).toBeGreaterThan(under.now());
    }
    const [one, other] = begun.map(({ transaction }) => transaction);
    if (!under.provider.isRemote) {
      expect([one, other]).toEqual([null, null]);
    } else if (one?.kind === 'redirect' && other?.kind === 'redirect') {
      expect(one.launchUrl).not.toBe(other.launchUrl);
      expect(one.stateDigest).not.toBe(other.stateDigest);
      expect(one.nonce).not.toBe(other.nonce);
    } else {
      expect.unreachable('a redirect has a transaction of its own kind');
    }
  });
}

function activeTests({ open, cast: { people, faults } }: ProviderConformance): void {
  const [, somebody] = people;

  test('P-1, P-4, P-12: somebody who is being asked elsewhere is not asked again yet', async () => {
    const under = await openForTest(open);
    const refusal = await refusedPush(under, faults.active, 'push.budget_spent');
    expect(refusal.details.retryAfterSeconds).toBeGreaterThan(0);
  });

  test('P-4, P-12: a second push is refused or its own, and the first one stays as it is', async () => {
    const under = await openForTest(open);
    const first = await begin(under, somebody.nationalId);
    const second = await begin(under, somebody.nationalId).catch((error: unknown) => error);
    if (second instanceof Refusal) {
      expect(second.code).toBe('push.budget_spent');
      expectNothingIn(second, [...under.secrets, ...secretsOf([first])]);
      expect(JSON.stringify(second.details)).not.toContain(`"${first.attempt.bindingCode}"`);
    } else {
      await under.decide(second as BegunAttempt, 'approve');
    }
    expect(await newsOf(under, first, 0)).toEqual({ result: 'waiting' });
    await under.decide(first, 'refuse');
    expect(await newsOf(under, first, 1)).toMatchObject({ result: 'rejected' });
  });
}

function faultTests({ open, cast: { faults } }: ProviderConformance): void {
  test('P-1, P-4, P-11: somebody unknown, with a number for the support, never the same', async () => {
    const under = await openForTest(open);
    const numbers = [];
    for (let time = 0; time < 2; time += 1) {
      const refusal = await refusedPush(under, faults.record, 'provider.record_not_found');
      numbers.push(refusal.details.reference);
    }
    expect(numbers.every(Number.isSafeInteger), String(numbers)).toBe(true);
    expect(new Set(numbers).size).toBe(2);
  });

  test('P-1, P-4, P-13: a gateway that refuses', async () => {
    await refusedPush(await openForTest(open), faults.gateway, 'provider.misconfigured');
  });

  test.each(['error', 'outage'] as const)('P-1, P-4, P-14: an outage: %s', async (fault) => {
    const under = await openForTest(open);
    const refusal = await refusedPush(under, faults[fault], 'provider.unavailable');
    expect(refusal.details.retryAfterSeconds).toBeGreaterThan(0);
  });

  test.each(['slow', 'cut'] as const)('P-1, P-4, P-15: an answer that is %s', async (fault) => {
    await refusedPush(await openForTest(open), faults[fault], 'provider.timeout');
  });

  test('P-1, P-4, P-16: an answer that is broken', async () => {
    await refusedPush(await openForTest(open), faults.broken, 'provider.bad_response');
  });
}

function remoteTests({ remote, cast: { people } }: ProviderConformance): void {
  if (remote === null) return;
  const [somebody] = people;

  test('P-1, P-4, P-13, of a remote provider only: an address that nobody knows', async () => {
    const under = await openForTest(remote.openMisaddressed);
    await refusedPush(under, somebody.nationalId, 'provider.misconfigured');
    const refusal = await refusalOf(begin(under, null));
    expect(refusal.code).toBe('provider.misconfigured');
  });

  test('P-1, P-4, P-14, of a remote provider only: nobody is there', async () => {
    const under = await openForTest(remote.openUnreachable);
    await refusedPush(under, somebody.nationalId, 'provider.unavailable');
    const refusal = await refusalOf(begin(under, null));
    expect(refusal.code).toBe('provider.unavailable');
    expectNothingIn(refusal, under.secrets);
  });
}
