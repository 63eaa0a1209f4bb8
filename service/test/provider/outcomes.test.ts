import { CLAIM_PROFILES, OUTCOMES, outcomeId } from '@miftah/simulator/engine';
import { systemTimer, type Timer } from '@miftah/simulator/platform';
import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../src/domain/errors/catalogue.ts';
import { parseNationalId } from '../../src/domain/national-id.ts';
import type { PushStatus } from '../../src/provider/push.ts';
import { pushMessageOf } from '../support/provider/push-message.ts';
import { createFakeClock } from '../support/service/fake-clock.ts';
import { json, openAreaB } from '../support/provider/area-b.ts';
import { openProvider, ORDER, refusalOf } from '../support/provider/provider-under-test.ts';
import { runSimulator } from '../support/provider/simulator.ts';

/**
 * The reserved numbers as the live driver meets them over the network. test/api/outcomes.test.ts
 * has what an application sees of each in simulator mode.
 */

/** How a push ends: by its answer, by its signed result, or by its status alone. */
type End =
  | { readonly answer: ErrorCode }
  | { readonly result: 'approved' | 'nameless' | 'rejected' | 'expired' }
  | { readonly refused: ErrorCode }
  | { readonly unsigned: PushStatus };

const ENDS: Readonly<Record<number, End>> = {
  1: { result: 'approved' },
  2: { result: 'approved' },
  3: { result: 'approved' },
  10: { result: 'rejected' },
  11: { result: 'rejected' },
  12: { result: 'rejected' },
  13: { unsigned: 'expired' },
  14: { result: 'rejected' },
  20: { answer: 'push.budget_spent' },
  21: { answer: 'provider.record_not_found' },
  30: { answer: 'provider.misconfigured' },
  31: { answer: 'provider.unavailable' },
  32: { answer: 'provider.unavailable' },
  33: { answer: 'provider.timeout' },
  34: { answer: 'provider.bad_response' },
  35: { answer: 'provider.timeout' },
  40: { result: 'approved' },
  41: { result: 'approved' },
  42: { unsigned: 'completed' },
  43: { result: 'approved' },
  44: { result: 'expired' },
  50: { refused: 'push.unverified' },
  51: { refused: 'push.unverified' },
  52: { refused: 'push.unverified' },
  53: { refused: 'provider.mismatch' },
  54: { refused: 'push.unverified' },
  60: { result: 'approved' },
  61: { result: 'nameless' },
};

const SLOW = 33;
const SHORT_DEADLINE_MS = 1000;
const LIFETIME_MS = 60_000;

/** Shortens every wait of the simulator to 10 ms. */
const impatient: Timer = { sleep: (ms, signal) => systemTimer.sleep(Math.min(ms, 10), signal) };

async function rehearse(number: number) {
  const nationalId = parseNationalId(outcomeId(number));
  if (nationalId === null) throw new Error(`${number} is no outcome`);
  const clock = createFakeClock();
  const arrived = Promise.withResolvers<string>();
  const inbox = await openAreaB((call, response) => {
    json({})(call, response);
    arrived.resolve(call.body);
  });
  const timer = number === SLOW ? systemTimer : impatient;
  const simulator = await runSimulator(clock, `${inbox.url}/mfa-callback`, { timer });
  const services = number === SLOW ? { clock, deadlineMs: SHORT_DEADLINE_MS } : { clock };
  const { provider } = openProvider(simulator.url, { mode: 'rehearsal' }, services);
  const order = { ...ORDER, nationalId };
  const createdAt = clock.now();

  async function verify(started: Awaited<ReturnType<typeof provider.requestPush>>) {
    const message = pushMessageOf(await arrived.promise);
    return provider.verifyPush(message, { ...order, ...started, createdAt });
  }
  return { clock, inbox, nationalId, order, provider, verify };
}

describe('the reserved numbers', () => {
  it('are all told here', () => {
    const told = Object.keys(ENDS).map(Number);
    expect(told).toEqual(OUTCOMES.map(({ number }) => number));
  });

  it.each(Object.entries(ENDS))('%s: %o', async (number, end) => {
    const { clock, inbox, nationalId, order, provider, verify } = await rehearse(Number(number));
    if ('answer' in end) {
      expect((await refusalOf(provider.requestPush(order))).code).toBe(end.answer);
      return;
    }
    const started = await provider.requestPush(order);
    if ('unsigned' in end) {
      if (end.unsigned === 'expired') clock.advance(LIFETIME_MS);
      await expect(provider.pushStatus({ ...order, ...started })).resolves.toBe(end.unsigned);
      expect(inbox.calls).toEqual([]);
    } else if ('refused' in end) {
      expect((await refusalOf(verify(started))).code).toBe(end.refused);
    } else if (end.result === 'rejected' || end.result === 'expired') {
      await expect(verify(started)).resolves.toEqual({ result: end.result });
    } else {
      const verified = await verify(started);
      expect(verified).toMatchObject({ result: 'approved', person: { nationalId } });
      const name = verified.result === 'approved' ? verified.person.arabicName : null;
      expect(name).toMatch(end.result === 'approved' ? /^نتيجة / : /^$/);
    }
  });
});

describe('a web token in the form of the profile', () => {
  it.each(Object.entries(CLAIM_PROFILES))('%s is read', async (_name, claimForms) => {
    const clock = createFakeClock();
    const options = { settings: { claimForms } };
    const simulator = await runSimulator(clock, 'http://127.0.0.1:9', options);
    const { provider } = openProvider(simulator.url, { mode: 'rehearsal' }, { clock });
    const { launchUrl, nonce } = await provider.openSession(ORDER);
    const state = new URL(launchUrl).searchParams.get('state') ?? '';
    await simulator.answerPage(state, 'approve', 'siobhan');
    const exchanged = provider.exchange(state, { ...ORDER, nonce, createdAt: clock.now() });
    await expect(exchanged).resolves.toMatchObject({
      result: 'approved',
      person: {
        documentType: 'iqama',
        documentNumber: '2000006601',
        arabicName: 'شيفون مويرا أوسبيسيمن',
        englishName: "Siobhán Máire O'Specimen",
      },
    });
  });
});
