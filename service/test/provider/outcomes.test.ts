import { OUTCOMES, outcomeId, readScenario, scenarioHeaders } from '@miftah/simulator/engine';
import { systemTimer, type Timer } from '@miftah/simulator/platform';
import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../src/errors/catalogue.ts';
import { parseNationalId } from '../../src/account/user.ts';
import type { PushStatus } from '../../src/provider/push.ts';
import { pushMessageOf } from '../support/provider/push-message.ts';
import { createFakeClock } from '../support/service/fake-clock.ts';
import { json, openAreaB } from '../support/provider/area-b.ts';
import { timerPastDeadline } from '../support/held-deadline.ts';
import { openProvider, ORDER, refusalOf } from '../support/provider/provider-under-test.ts';
import { runSimulator } from '../support/provider/simulator.ts';

/**
 * The outcomes as the live driver meets them over the network: by a reserved number, by the headers
 * of the request, and by the queue. test/api/chosen-outcomes.test.ts has what an application sees of
 * each.
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
/** How late its answer is. */
const LATE_MS = 10_000;
const LIFETIME_MS = 60_000;

/** Shortens every wait of the simulator to 10 ms. */
const impatient: Timer = {
  ...systemTimer,
  sleep: (ms, signal) => systemTimer.sleep(Math.min(ms, 10), signal),
};

const WAYS = ['number', 'header', 'queue'] as const;
type Way = (typeof WAYS)[number];

/** Somebody who is asked for without a reserved number. */
const AMAL = '1000001101';
const keyOf = (number: number) => OUTCOMES.find((one) => one.number === number)?.key ?? '';

/** What the driver is told of an outcome that is chosen by header, and of a scope for the queue. */
function scenarioOf(number: number, way: Way) {
  if (way === 'number') return null;
  const outcome = way === 'header' ? { key: keyOf(number), afterMs: null } : null;
  return { scope: 'one', outcome };
}

async function queueAt(url: string, number: number): Promise<void> {
  const answer = await fetch(`${url}/simulator/next`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-miftah-scope': 'one' },
    body: JSON.stringify({ outcome: keyOf(number) }),
  });
  expect(answer.status).toBe(200);
}

async function rehearse(number: number, way: Way) {
  const nationalId = parseNationalId(way === 'number' ? outcomeId(number) : AMAL);
  if (nationalId === null) throw new Error(`${number} is no outcome`);
  const scenario = scenarioOf(number, way);
  const clock = createFakeClock();
  const arrived = Promise.withResolvers<string>();
  const inbox = await openAreaB((call, response) => {
    json({})(call, response);
    arrived.resolve(call.body);
  });
  const timer = number === SLOW ? timerPastDeadline(LATE_MS) : impatient;
  const simulator = await runSimulator(clock, `${inbox.url}/mfa-callback`, { timer });
  const services = { clock, scenarioHeaders };
  if (way === 'queue') await queueAt(simulator.url, number);
  const { provider } = openProvider(simulator.url, { mode: 'rehearsal' }, services);
  const order = { ...ORDER, nationalId, scenario };
  const createdAt = clock.now();

  async function verify(started: Awaited<ReturnType<typeof provider.requestPush>>) {
    const message = pushMessageOf(await arrived.promise);
    return provider.verifyPush(message, { ...order, ...started, createdAt }, null);
  }
  return { clock, inbox, nationalId, order, provider, simulator, verify };
}

describe.each(WAYS)('the outcomes of a push, by %s', (way) => {
  it('are all told here', () => {
    const told = Object.keys(ENDS).map(Number);
    expect(told).toEqual(OUTCOMES.map(({ number }) => number));
  });

  it.each(Object.entries(ENDS))('%s: %o', async (number, end) => {
    const { clock, inbox, nationalId, order, provider, verify } = await rehearse(
      Number(number),
      way,
    );
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
      if (end.result === 'nameless') expect(name).toBe('');
      else expect(name).toMatch(way === 'number' ? /^نتيجة / : /^أمل /);
    }
  });
});

/** How a sign-in by browser ends: by the answer for a session, on the page, or by the exchange. */
type BrowserEnd =
  | { readonly answer: ErrorCode }
  | { readonly page: 'approved' | 'rejected' | 'waiting' }
  | { readonly exchange: ErrorCode };

const BROWSER_ENDS: Readonly<Record<number, BrowserEnd>> = {
  1: { page: 'approved' },
  2: { page: 'approved' },
  3: { page: 'approved' },
  10: { page: 'rejected' },
  11: { page: 'rejected' },
  13: { page: 'waiting' },
  30: { answer: 'provider.misconfigured' },
  31: { answer: 'provider.unavailable' },
  32: { answer: 'provider.unavailable' },
  33: { answer: 'provider.timeout' },
  34: { answer: 'provider.bad_response' },
  35: { answer: 'provider.unavailable' },
  50: { exchange: 'provider.bad_response' },
  51: { exchange: 'provider.bad_response' },
  52: { exchange: 'provider.bad_response' },
  53: { page: 'approved' },
  54: { exchange: 'provider.bad_response' },
  60: { page: 'approved' },
};

/** When the person of an outcome acts on the page. */
const PAGE_TIMES: Readonly<Record<number, number>> = { 2: 3000, 3: 299_500 };

describe.each(['header', 'queue'] as const)('the outcomes of a browser sign-in, by %s', (way) => {
  it('are all told here', () => {
    const applying = OUTCOMES.filter(
      ({ key }) => readScenario({ 'x-simulate': key }, 'redirect').ok,
    );
    expect(Object.keys(BROWSER_ENDS).map(Number)).toEqual(applying.map(({ number }) => number));
  });

  it.each(Object.entries(BROWSER_ENDS))('%s: %o', async (text, end) => {
    const number = Number(text);
    const { clock, provider, order, simulator } = await rehearse(number, way);
    const createdAt = clock.now();
    if ('answer' in end) {
      expect((await refusalOf(provider.openSession(order))).code).toBe(end.answer);
      return;
    }
    const { launchUrl, nonce } = await provider.openSession(order);
    clock.advance(PAGE_TIMES[number] ?? 0);
    const page = await simulator.openPage(launchUrl);
    const state = new URL(launchUrl).searchParams.get('state') ?? '';
    const exchanged = provider.exchange(state, { ...ORDER, nonce, createdAt });
    if ('exchange' in end) {
      expect((await refusalOf(exchanged)).code).toBe(end.exchange);
      return;
    }
    expect(page).toBe(end.page);
    const { result } = await exchanged;
    expect(result).toBe(end.page === 'approved' ? 'approved' : 'not_redeemable');
  });
});
