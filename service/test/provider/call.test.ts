import { describe, expect, it } from 'vitest';
import { cut, json, openAreaB, record, text, type Script } from '../support/provider/area-b.ts';
import { holdDeadline } from '../support/held-deadline.ts';
import {
  inBoth,
  NATIONAL_ID,
  openProvider,
  ORDER,
  refusalOf,
  REQUEST_ID,
  TRANSACTION_ID,
} from '../support/provider/provider-under-test.ts';
import { sessionAnswer } from '../support/provider/session-answer.ts';

const PUSHED = json({ transId: TRANSACTION_ID, random: '07' });
const SESSION = { requestId: REQUEST_ID, locale: 'en', userAddress: null } as const;

/** One script per call; the last one also serves all later calls. */
function inTurn(...scripts: readonly Script[]): Script {
  let turn = 0;
  return (call, response) => {
    const script = scripts[Math.min(turn, scripts.length - 1)];
    turn += 1;
    script?.(call, response);
  };
}

describe('what the provider is sent', () => {
  it('a push: the documented path, query and body, and who asks', async () => {
    const areaB = await openAreaB(PUSHED);
    const { provider } = openProvider(areaB.url);
    await provider.requestPush(ORDER);
    const [call] = areaB.calls;
    expect(call).toMatchObject({
      method: 'POST',
      path: '/stg/api/v1/mfa/request',
      query: { local: 'ar', requestId: REQUEST_ID },
      headers: {
        'app-id': 'app-id-canary',
        'app-key': 'app-key-canary',
        'x-forwarded-for': '198.51.100.23,203.0.113.7',
        'content-type': 'application/json',
        'accept-encoding': 'identity',
      },
    });
    expect(JSON.parse(call?.body ?? '')).toEqual({ nationalId: NATIONAL_ID, service: 'Login' });
  });

  it('a session: no body, and no address where none is known', async () => {
    const areaB = await openAreaB(json(sessionAnswer({ locale: 'en' })));
    await openProvider(areaB.url).provider.openSession(SESSION);
    const [call] = areaB.calls;
    expect(call).toMatchObject({
      method: 'GET',
      path: '/stg/api/v2/oidc/session',
      query: { locale: 'en', requestId: REQUEST_ID },
      body: '',
    });
    expect(call?.headers).not.toHaveProperty('x-forwarded-for');
    expect(call?.headers).not.toHaveProperty('content-type');
  });

  it.each(['not an address', '198.51.100.23\r\nx-evil: 1', ''])(
    'nothing in place of an address: %j',
    async (userAddress) => {
      const areaB = await openAreaB(PUSHED);
      await openProvider(areaB.url).provider.requestPush({ ...ORDER, userAddress });
      expect(areaB.calls[0]?.headers).not.toHaveProperty('x-forwarded-for');
      expect(areaB.calls[0]?.headers).not.toHaveProperty('x-evil');
    },
  );

  it('the user alone where our own address is not configured, and no prefix where there is none', async () => {
    const areaB = await openAreaB(PUSHED);
    const { provider } = openProvider(areaB.url, { ownAddress: null, pathPrefixes: inBoth('') });
    await provider.requestPush({ ...ORDER, userAddress: '2001:db8::1' });
    expect(areaB.calls[0]?.headers['x-forwarded-for']).toBe('2001:db8::1');
    expect(areaB.calls[0]?.path).toBe('/api/v1/mfa/request');
  });
});

describe('repeating', () => {
  const good = json(sessionAnswer({ locale: 'en' }));

  it.each([
    ['a cut connection', cut],
    ['500', json({}, 500)],
    ['503', text('<p>down</p>', 503)],
  ])('a session is asked for again, once, after %s', async (_, fault) => {
    const areaB = await openAreaB(inTurn(fault, good));
    const { provider, records } = openProvider(areaB.url);
    await expect(provider.openSession(SESSION)).resolves.toHaveProperty('nonce');
    expect(areaB.calls).toHaveLength(2);
    expect(records.map(({ refusal }) => refusal)).toEqual(['provider.unavailable', null]);
    areaB.act(fault);
    const refusal = await refusalOf(provider.openSession(SESSION));
    expect(refusal.code).toBe('provider.unavailable');
    expect(areaB.calls).toHaveLength(4);
  });

  it.each([
    ['an answer that is not usable', json([])],
    ['a refusal', record('422-031-046')],
    ['429', text('later', 429)],
  ])('a session is not asked for again after %s', async (_, fault) => {
    const areaB = await openAreaB(fault);
    await refusalOf(openProvider(areaB.url).provider.openSession(SESSION));
    expect(areaB.calls).toHaveLength(1);
  });

  it('nor after the deadline, which is one for both tries', async () => {
    const deadlineComes = holdDeadline();
    const areaB = await openAreaB(() => deadlineComes());
    const { provider } = openProvider(areaB.url);
    expect((await refusalOf(provider.openSession(SESSION))).code).toBe('provider.timeout');
    expect(areaB.calls).toHaveLength(1);
  });

  it.each([
    ['a cut connection', cut],
    ['500', json({}, 500)],
    ['421', text('elsewhere', 421)],
    ['a redirect', json({}, 307, { location: '/stg/api/v1/mfa/request' })],
  ])('a push and an exchange are sent once, whatever comes: %s', async (_, fault) => {
    const areaB = await openAreaB(fault);
    const { provider } = openProvider(areaB.url);
    await refusalOf(provider.requestPush(ORDER));
    expect(areaB.calls).toHaveLength(1);
    const expected = { requestId: REQUEST_ID, nonce: '', createdAt: 0, userAddress: null };
    await refusalOf(provider.exchange('state', expected));
    expect(areaB.calls).toHaveLength(2);
  });

  it('the breaker of one operation leaves the others alone, and a 429 opens none', async () => {
    const breaker = { outages: 2, probeIntervalMs: 5000 };
    const areaB = await openAreaB((call, response) => {
      const isPush = call.path.endsWith('/mfa/request');
      (isPush ? json({}, 503) : json(sessionAnswer()))(call, response);
    });
    const { provider } = openProvider(areaB.url, {}, { breaker });
    for (let count = 0; count < 3; count += 1) await refusalOf(provider.requestPush(ORDER));
    expect(areaB.calls).toHaveLength(2);
    await expect(provider.openSession({ ...SESSION, locale: 'ar' })).resolves.toBeDefined();
    const busy = await openAreaB(json({}, 429));
    const { provider: asked } = openProvider(busy.url, {}, { breaker });
    for (let count = 0; count < 5; count += 1) await refusalOf(asked.requestPush(ORDER));
    expect(busy.calls).toHaveLength(5);
  });

  it('nothing is sent at all while the breaker is open, and one probe when it may look again', async () => {
    const areaB = await openAreaB(json({}, 503));
    const breaker = { outages: 2, probeIntervalMs: 5000 };
    const { provider, clock, records } = openProvider(areaB.url, {}, { breaker });
    await refusalOf(provider.requestPush(ORDER));
    await refusalOf(provider.requestPush(ORDER));
    const refusal = await refusalOf(provider.requestPush(ORDER));
    expect(refusal).toMatchObject({
      code: 'provider.unavailable',
      details: { retryAfterSeconds: 5 },
    });
    expect(areaB.calls).toHaveLength(2);
    expect(records).toHaveLength(2);
    clock.advance(5000);
    areaB.act(PUSHED);
    const burst = Array.from({ length: 20 }, async () => provider.requestPush(ORDER));
    const settled = await Promise.allSettled(burst);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(areaB.calls).toHaveLength(3);
    await provider.requestPush(ORDER);
    expect(areaB.calls).toHaveLength(4);
  });
});

describe('what comes with a refusal', () => {
  it('the reference of a record, for support', async () => {
    const areaB = await openAreaB(record('422-016-023', 99_001));
    const refusal = await refusalOf(openProvider(areaB.url).provider.requestPush(ORDER));
    expect(refusal.details.reference).toBe(99_001);
  });

  it('when to ask again, as the provider says but no longer than five minutes', async () => {
    const areaB = await openAreaB(json({}, 503, { 'retry-after': '20' }));
    const { provider } = openProvider(areaB.url);
    expect((await refusalOf(provider.requestPush(ORDER))).details.retryAfterSeconds).toBe(20);
    areaB.act(json({}, 429, { 'retry-after': '86400' }));
    expect((await refusalOf(provider.requestPush(ORDER))).details.retryAfterSeconds).toBe(300);
    areaB.act(json({}, 503, { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }));
    expect((await refusalOf(provider.requestPush(ORDER))).details.retryAfterSeconds).toBe(5);
  });

  it('of somebody else’s open push when to ask again, never its number nor a reference', async () => {
    const answer = {
      status: '400',
      timestamp: null,
      message: 'x',
      code: '400-034-050',
      reference: 5,
      random: '42',
      transId: TRANSACTION_ID,
    };
    const areaB = await openAreaB(json(answer, 400));
    const refusal = await refusalOf(openProvider(areaB.url).provider.requestPush(ORDER));
    expect(refusal).toMatchObject({
      code: 'push.budget_spent',
      details: { retryAfterSeconds: 60 },
    });
    expect(refusal.details.reference).toBeUndefined();
    expect(JSON.stringify(refusal)).not.toMatch(/42|5d1f0c3e/);
  });
});

describe('a simulator at the other end', () => {
  const simulated = json({ transId: TRANSACTION_ID, random: '07' }, 200, {
    'x-auth-mode': 'simulator',
  });

  it('is refused in live mode, also when it answers an error', async () => {
    const areaB = await openAreaB(simulated);
    const { provider } = openProvider(areaB.url);
    expect((await refusalOf(provider.requestPush(ORDER))).code).toBe('provider.misconfigured');
    areaB.act(json({}, 503, { 'x-auth-mode': 'Simulator' }));
    expect((await refusalOf(provider.requestPush(ORDER))).code).toBe('provider.misconfigured');
  });

  it('is what a rehearsal needs, and the real thing is not', async () => {
    const areaB = await openAreaB(simulated);
    const { provider } = openProvider(areaB.url, { mode: 'rehearsal' });
    await expect(provider.requestPush(ORDER)).resolves.toHaveProperty('bindingCode', '07');
    areaB.act(PUSHED);
    expect((await refusalOf(provider.requestPush(ORDER))).code).toBe('provider.misconfigured');
  });

  it('is told apart before anything is decided', async () => {
    const areaB = await openAreaB(json({ keys: [] }, 200, { 'x-auth-mode': 'simulator' }));
    const { provider } = openProvider(areaB.url);
    await expect(provider.detectMode()).resolves.toBe('rehearsal');
    areaB.act(json({ keys: [] }));
    await expect(provider.detectMode()).resolves.toBe('live');
    areaB.act(text('Authentication failed', 403));
    expect((await refusalOf(provider.detectMode())).code).toBe('provider.misconfigured');
  });
});
