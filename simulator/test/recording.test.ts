/** What the simulator writes into the journal of an attempt. */
import type { InjectOptions } from 'fastify';
import { describe, expect, it } from 'vitest';
import { outcomeId } from '../src/engine/people/national-id.ts';
import { Journal } from '../src/journal/journal.ts';
import { decisionCall, exchangeCall, makeApp, pushCall, statusCall } from './support/apps.ts';
import { AMAL, REQUEST_ID, STRANGER } from './support/engines.ts';
import { put } from './support/faults.ts';
import { Mailbox, RELYING_PARTY } from './support/relying-party.ts';
import { answerCall, openSession } from './support/sign-in.ts';

type Options = Parameters<typeof makeApp>[0];

function recorded(options: Options = {}) {
  const journal = new Journal();
  const bench = makeApp({ journal, relyingParty: RELYING_PARTY, ...options });
  const entries = (scope = 'default') =>
    journal.entriesOf(REQUEST_ID, scope).entries.map(({ entry }) => entry);
  const names = (scope?: string) =>
    entries(scope).map(({ side, name, exchange }) =>
      `${side} ${name} ${exchange?.status ?? ''}`.trim(),
    );
  return { ...bench, journal, entries, names };
}

const REFUSES = { outcome: 'refuses', after: 0 };
const PUSH = pushCall({ nationalId: AMAL, service: 'Login' });

describe('the time line of a push', () => {
  it('has the calls, the decision, and the result that was sent', async () => {
    const mailbox = new Mailbox();
    const { app, engine, entries, names } = recorded({ post: mailbox.post });
    const { transId, random } = (await app.inject(PUSH)).json<Record<string, string>>();
    await app.inject(statusCall({ nationalId: AMAL, transId, random }));
    const [prompt] = engine.prompts();
    await app.inject(decisionCall(prompt?.id ?? '', { decision: 'approve' }));
    await expect.poll(() => mailbox.received.length).toBe(1);
    expect(names()).toEqual([
      'area_b mfa_request 200',
      'area_b mfa_status 200',
      'phone decision',
      'callback push_result 200',
    ]);
    const [request, status, decision, callback] = entries();
    expect(request?.exchange).toMatchObject({
      method: 'POST',
      path: expect.stringContaining('/api/v1/mfa/request?local=ar') as string,
      request: { headers: { 'content-type': 'application/json' }, body: { nationalId: AMAL } },
      response: { body: JSON.stringify({ transId, random }) },
    });
    expect(status?.exchange?.response.body).toBe('{"status":"WAITING"}');
    expect(decision?.act).toEqual({ decision: 'approve', by: 'person' });
    expect(callback?.exchange?.path).toBe(RELYING_PARTY.pushUrl);
  });

  it('has each repetition of a result, with the status of each', async () => {
    const mailbox = new Mailbox(500, null, 200);
    const { app, engine, names } = recorded({ post: mailbox.post });
    await app.inject(PUSH);
    const [prompt] = engine.prompts();
    await app.inject(decisionCall(prompt?.id ?? '', { decision: 'refuse' }));
    await expect.poll(() => mailbox.received.length).toBe(3);
    expect(names().slice(2)).toEqual([
      'callback push_result 500',
      'callback push_result',
      'callback push_result 200',
    ]);
  });

  it('has a call that was refused', async () => {
    const { app, names } = recorded();
    await app.inject(pushCall({ nationalId: STRANGER, service: 'Login' }));
    expect(names()).toEqual(['area_b mfa_request 422']);
  });

  it('has a call whose answer was cut, without a status', async () => {
    const bench = recorded();
    await put(bench, { faults: [{ operation: 'mfa_request', answer: 'cut', seed: 1 }] });
    await bench.app.inject(PUSH).catch(() => null);
    expect(bench.names()).toEqual(['area_b mfa_request']);
  });

  it('has the answer as it was sent, where a fault has damaged it', async () => {
    const bench = recorded();
    await put(bench, { faults: [{ operation: 'mfa_request', answer: 'malformed', seed: 1 }] });
    const { payload } = await bench.app.inject(PUSH);
    expect(bench.entries()[0]?.exchange?.response.body).toBe(payload);
  });

  it('has a reserved outcome of the answer, cut before it was whole', async () => {
    const { app, names } = recorded();
    await app.inject(pushCall({ nationalId: outcomeId(14), service: 'Login' })).catch(() => null);
    expect(names()).toHaveLength(1);
  });

  it('is of the scope of its calls', async () => {
    const { app, names } = recorded();
    await app.inject({ ...PUSH, headers: { 'x-miftah-scope': 'worker-7' } });
    expect([names(), names('worker-7')]).toEqual([[], ['area_b mfa_request 200']]);
  });

  it('has no call that names no attempt', async () => {
    const { app, journal } = recorded();
    await app.inject(pushCall({ nationalId: AMAL, service: 'Login' }, { local: 'ar' }));
    await app.inject(exchangeCall({ state: 'unknown' }));
    expect(journal.touchedSince('default', 0)).toEqual([]);
  });
});

describe('the time line of a sign-in by browser', () => {
  it('has the session, the page, the decision of the person, and the exchange', async () => {
    const bench = recorded();
    const { page, state } = await openSession(bench.app);
    await bench.app.inject(page);
    await bench.app.inject(answerCall(state, 'approve'));
    await bench.app.inject(exchangeCall({ state }));
    expect(bench.names()).toEqual([
      'area_b session 200',
      'browser page',
      'browser decision',
      'area_b exchange 200',
    ]);
    expect(bench.entries()[2]?.act).toEqual({ decision: 'approve', by: 'person' });
  });

  it('says that an outcome has decided', async () => {
    const bench = recorded();
    await bench.app.inject({ method: 'POST', url: '/simulator/next', payload: REFUSES });
    const { page } = await openSession(bench.app);
    await bench.app.inject(page);
    expect(bench.names()).toEqual(['area_b session 200', 'browser decision']);
    expect(bench.entries()[1]?.act).toEqual({ decision: 'refuse', by: 'outcome' });
  });

  it('has no decision that came too late', async () => {
    const bench = recorded();
    const { state } = await openSession(bench.app);
    await bench.app.inject(answerCall(state, 'refuse'));
    await bench.app.inject(answerCall(state, 'approve'));
    expect(bench.names().filter((name) => name === 'browser decision')).toHaveLength(1);
  });
});

describe('a call that anybody can send', () => {
  const KEYS = { 'app-id': 'app', 'app-key': 'key' };
  const credentials = { appId: 'app', appKey: 'key' };
  const MALFORMED = pushCall({ service: 'Login' });

  const calls: readonly (readonly [string, InjectOptions])[] = [
    ['with wrong keys', PUSH],
    ['with wrong keys, about nothing', { ...PUSH, query: { requestId: 'x' } }],
    [
      'in a form',
      { ...MALFORMED, headers: { ...KEYS, 'content-type': 'text/plain' }, payload: '' },
    ],
    ['that is not well formed', { ...MALFORMED, headers: KEYS }],
    ['about a token', { ...statusCall({}), query: { requestId: REQUEST_ID }, headers: KEYS }],
    ...['cross-site', 'same-site'].map(
      (site) =>
        [`of a ${site} page`, { ...PUSH, headers: { ...KEYS, 'sec-fetch-site': site } }] as const,
    ),
    ['of another origin', { ...PUSH, headers: { ...KEYS, origin: 'http://a.example.test' } }],
    ['of a page without one', { ...PUSH, headers: { ...KEYS, origin: 'null' } }],
  ];

  it.each(calls)('%s begins no time line', async (_, call) => {
    const { app, journal } = recorded({ credentials });
    await app.inject(call);
    expect(journal.touchedSince('default', 0)).toEqual([]);
  });

  it('is recorded with an attempt that is known, when its keys are right and no page sent it', async () => {
    const { app, names } = recorded({ credentials });
    await app.inject({ ...PUSH, headers: KEYS });
    await app.inject(PUSH);
    await app.inject({ ...PUSH, headers: { ...KEYS, 'sec-fetch-site': 'cross-site' } });
    await app.inject({ ...PUSH, headers: { ...KEYS, origin: 'http://a.example.test' } });
    expect(names()).toEqual(['area_b mfa_request 200']);
    await app.inject({ ...MALFORMED, headers: KEYS });
    await app.inject({ ...PUSH, headers: { ...KEYS, 'content-type': 'text/plain' }, payload: 'x' });
    expect(names().slice(1)).toEqual(['area_b mfa_request 422', 'area_b mfa_request 415']);
  });
});
