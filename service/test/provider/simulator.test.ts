import { CLAIM_PROFILES, type ClaimProfileName } from '@miftah/simulator/engine';
import { describe, expect, it } from 'vitest';
import type { NationalId } from '../../src/account/user.ts';
import { REDACTED } from '../../src/attempt/provider-call.ts';
import { pushMessageOf } from '../support/provider/push-message.ts';
import { createFakeClock } from '../support/service/fake-clock.ts';
import { json, openAreaB } from '../support/provider/area-b.ts';
import { openProvider, refusalOf, REQUEST_ID } from '../support/provider/provider-under-test.ts';
import { runSimulator } from '../support/provider/simulator.ts';

const SESSION = { requestId: REQUEST_ID, locale: 'ar', userAddress: '198.51.100.23' } as const;

const REPORTED: ClaimProfileName = 'reported';

/** The driver in a rehearsal, a simulator as its provider, and an address for signed results. */
async function rehearse({ minimumAssurance = 0, profile = REPORTED } = {}) {
  const clock = createFakeClock();
  const arrived = Promise.withResolvers<string>();
  const inbox = await openAreaB((call, response) => {
    json({})(call, response);
    arrived.resolve(call.body);
  });
  const claimForms = CLAIM_PROFILES[profile];
  const simulator = await runSimulator(clock, `${inbox.url}/mfa-callback`, {
    settings: { claimForms },
  });
  const changes = { mode: 'rehearsal', minimumAssurance } as const;
  const { provider, records } = openProvider(simulator.url, changes, { clock });
  const createdAt = clock.now();

  async function signIn(person: string, decision = 'approve') {
    const { launchUrl, nonce } = await provider.openSession(SESSION);
    const state = new URL(launchUrl).searchParams.get('state') ?? '';
    await simulator.answerPage(state, decision, person);
    return provider.exchange(state, { ...SESSION, nonce, createdAt });
  }

  async function push(nationalId: string, decision?: 'approve' | 'refuse') {
    const order = { ...SESSION, nationalId: nationalId as NationalId };
    const started = await provider.requestPush(order);
    if (decision !== undefined) simulator.answerPush(decision);
    const message = pushMessageOf(await arrived.promise);
    return provider.verifyPush(message, { ...order, ...started, createdAt }, null);
  }

  return { clock, provider, records, simulator, signIn, push };
}

describe('the driver against the simulator', () => {
  it.each([
    ['amal', 'nin', '1000001101', 'SA'],
    ['siobhan', 'iqama', '2000006601', 'XX'],
    ['lukas', 'visa', '3000009901', 'XX'],
    ['hanae', 'border', '4000011001', 'XX'],
  ])('%s signs in by browser', async (person, documentType, documentNumber, nationality) => {
    const { signIn } = await rehearse();
    await expect(signIn(person)).resolves.toMatchObject({
      result: 'approved',
      person: { documentType, documentNumber, nationality },
    });
  });

  it.each([
    ['1000002201', 'nin', 'Faisal Omar Khalid Altajribi', 'فيصل عمر خالد التجريبي'],
    ['2000005501', 'iqama', 'Kusuma', 'كوسوما'],
    ['3000009901', 'visa', 'Lukas Muster', 'لوكاس موستر'],
    ['4000011001', 'border', 'Hanae Younes El Bayyina', 'هناء يونس البيّنة'],
  ])('%s signs in by phone', async (nationalId, documentType, englishName, arabicName) => {
    const { push } = await rehearse();
    await expect(push(nationalId, 'approve')).resolves.toMatchObject({
      result: 'approved',
      person: { nationalId, documentType, englishName, arabicName },
    });
  });

  it.each(['web-national-id', 'web-subject'] as const)(
    'refuses a visitor whose document the form %s does not say',
    async (profile) => {
      const { signIn } = await rehearse({ profile });
      expect((await refusalOf(signIn('lukas'))).code).toBe('provider.bad_response');
    },
  );

  it('takes a push without names and service', async () => {
    const thin = { englishName: '', arabicName: '', gender: 'X', nationality: 'SA' };
    const { push } = await rehearse({ profile: 'push-thin' });
    await expect(push('1000002201', 'approve')).resolves.toMatchObject({
      person: { nationalId: '1000002201', documentType: 'nin', ...thin },
    });
    const { push: pushVisitor } = await rehearse({ profile: 'push-thin' });
    const refused = await refusalOf(pushVisitor('3000009901', 'approve'));
    expect(refused.code).toBe('provider.bad_response');
  });

  it('hears a refusal, in either flow', async () => {
    const { push, signIn } = await rehearse();
    await expect(push('1000002201', 'refuse')).resolves.toEqual({ result: 'rejected' });
    await expect(signIn('amal', 'refuse')).resolves.toEqual({ result: 'not_redeemable' });
  });

  it('finds a state redeemable once, and not before the approval', async () => {
    const { provider, simulator, clock } = await rehearse();
    const { launchUrl, nonce } = await provider.openSession(SESSION);
    const state = new URL(launchUrl).searchParams.get('state') ?? '';
    const expected = { ...SESSION, nonce, createdAt: clock.now() };
    await expect(provider.exchange(state, expected)).resolves.toHaveProperty(
      'result',
      'not_redeemable',
    );
    await simulator.answerPage(state, 'approve', 'amal');
    await expect(provider.exchange(state, expected)).resolves.toHaveProperty('result', 'approved');
    await expect(provider.exchange(state, expected)).resolves.toHaveProperty(
      'result',
      'not_redeemable',
    );
  });

  it('reads the status of a push', async () => {
    const { provider, clock } = await rehearse();
    const order = { ...SESSION, nationalId: '1000002201' as NationalId };
    const started = await provider.requestPush(order);
    expect(started.bindingCode).toMatch(/^\d{2}$/);
    const question = { ...order, ...started };
    await expect(provider.pushStatus(question)).resolves.toBe('waiting');
    clock.advance(60_000);
    await expect(provider.pushStatus(question)).resolves.toBe('expired');
    clock.advance(60_000);
    await expect(provider.pushStatus(question)).resolves.toBe('expired');
  });

  it.each([
    ['unknown', '1999999999', 'provider.record_not_found'],
    ['active elsewhere', '1900000020', 'push.budget_spent'],
    ['refused by the gateway', '1900000030', 'provider.misconfigured'],
    ['met by 500', '1900000031', 'provider.unavailable'],
    ['met by 503', '1900000032', 'provider.unavailable'],
    ['answered in broken JSON', '1900000034', 'provider.bad_response'],
    ['cut off', '1900000035', 'provider.timeout'],
    ['signed by a key nobody published', '1900000050', 'push.unverified'],
    ['signed for somebody else', '1900000051', 'push.unverified'],
    ['signed long ago', '1900000052', 'push.unverified'],
    ['signed for another person', '1900000053', 'provider.mismatch'],
    ['not signed', '1900000054', 'push.unverified'],
  ])('a person who is %s', async (_, nationalId, code) => {
    const { push } = await rehearse();
    expect((await refusalOf(push(nationalId))).code).toBe(code);
  });

  it.each([
    ['outcome-50', 'provider.bad_response'],
    ['outcome-51', 'provider.bad_response'],
    ['outcome-52', 'provider.bad_response'],
    ['outcome-54', 'provider.bad_response'],
    ['outcome-60', 'assurance.insufficient'],
  ])('the token of %s by browser', async (person, code) => {
    const { signIn } = await rehearse({ minimumAssurance: 2 });
    expect((await refusalOf(signIn(person))).code).toBe(code);
  });

  it('knows a simulator when it meets one, and refuses it in live mode', async () => {
    const { provider, simulator } = await rehearse();
    await expect(provider.detectMode()).resolves.toBe('rehearsal');
    const live = openProvider(simulator.url);
    const refusal = await refusalOf(live.provider.openSession(SESSION));
    expect(refusal.code).toBe('provider.misconfigured');
  });

  it('records what it was answered, with nothing of it', async () => {
    const { records, signIn } = await rehearse();
    await signIn('amal');
    expect(records.map(({ operation, status }) => [operation, status])).toEqual([
      ['session', 200],
      ['keys', 200],
      ['exchange', 200],
    ]);
    expect(records[0]?.answer).toEqual({
      id: null,
      url: REDACTED,
      hashedState: REDACTED,
      requestId: REQUEST_ID,
    });
  });
});
