import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { Sessions } from '../src/access/sessions.ts';
import { systemTimer } from '../src/platform/platform.ts';
import { makeApp } from './support/apps.ts';
import { FakeClock, SeededRandom } from './support/fakes.ts';

/** Codes that are good once, and the cookie of a session that they are exchanged for. */

const TOKEN = 'a-token-of-enough-length';
const LAN = 'http://192.168.1.5:4000';
const host = '192.168.1.5:4000';
const bearer = { host, authorization: `Bearer ${TOKEN}` };
const own = { host, origin: LAN };
const PEOPLE = '/simulator/people';

function bench(publicUrl = LAN) {
  const clock = new FakeClock();
  const sessions = new Sessions(clock, new SeededRandom('codes'));
  // A stream sleeps between its looks.
  const made = makeApp({ control: { publicUrl, token: TOKEN }, sessions, timer: systemTimer });
  const { app } = made;

  async function createCode(headers: Record<string, string> = bearer) {
    const answer = await app.inject({ method: 'POST', url: '/simulator/session-codes', headers });
    expect(answer.statusCode, answer.payload).toBe(201);
    return answer.json<{ data: { code: string; expires_at: string; phone_url: string | null } }>()
      .data;
  }

  const exchange = (
    code: string,
    headers: Record<string, string> = own,
    remoteAddress = '192.168.1.77',
  ) =>
    app.inject({
      method: 'POST',
      url: '/simulator/session',
      payload: { code },
      headers,
      remoteAddress,
    });

  /** The Cookie header of a new session. */
  async function enter(): Promise<string> {
    const { code } = await createCode();
    const answer = await exchange(code);
    expect(answer.statusCode, answer.payload).toBe(201);
    return String(answer.headers['set-cookie']).split(';')[0] ?? '';
  }

  const read = async (cookie: string, headers: Record<string, string> = {}) => {
    const answer = await app.inject({ url: PEOPLE, headers: { host, cookie, ...headers } });
    return answer.statusCode;
  };
  return { ...made, clock, sessions, createCode, exchange, enter, read };
}

const codeOf = ({ payload }: { payload: string }) => (JSON.parse(payload) as { code: string }).code;

describe('POST /simulator/session-codes', () => {
  it('gives a code for two minutes, and the address of the phone', async () => {
    const { createCode } = bench();
    const data = await createCode();
    expect(data).toEqual({
      code: expect.stringMatching(/^[\w-]{22}$/) as string,
      expires_at: '2026-01-31T09:07:00+00:00',
      phone_url: `${LAN}/simulator/phone`,
    });
    expect((await createCode()).code).not.toBe(data.code);
  });

  it('has no address of the phone where no other machine can reach the instance', async () => {
    const { app } = makeApp();
    const answer = await app.inject({ method: 'POST', url: '/simulator/session-codes' });
    expect(answer.json()).toMatchObject({ data: { phone_url: null } });
  });

  it('asks for the token, or for a session', async () => {
    const { app, enter, createCode } = bench();
    const call = { method: 'POST', url: '/simulator/session-codes', headers: own } as const;
    expect(codeOf(await app.inject(call))).toBe('simulator.token_required');
    expect(await createCode({ ...own, cookie: await enter() })).toHaveProperty('code');
  });
});

describe('POST /simulator/session', () => {
  it('exchanges a code for a cookie that counts as the token', async () => {
    const { createCode, exchange, read } = bench();
    const answer = await exchange((await createCode()).code);
    expect(answer.json()).toEqual({ data: { expires_at: '2026-01-31T21:05:00+00:00' } });
    const [pair = '', ...attributes] = String(answer.headers['set-cookie']).split('; ');
    expect(pair).toMatch(/^miftah_simulator_4000=[\w-]{43}$/);
    expect(attributes).toEqual(['Max-Age=43200', 'Path=/simulator', 'HttpOnly', 'SameSite=Strict']);
    expect(await read(pair)).toBe(200);
  });

  it('binds the cookie to its host where the connection is secure', async () => {
    const { createCode, exchange } = bench('https://simulator.example.test');
    const here = { host: 'simulator.example.test' };
    const { code } = await createCode({ ...bearer, ...here });
    const answer = await exchange(code, { ...here, origin: 'https://simulator.example.test' });
    expect(answer.headers['set-cookie']).toMatch(
      /^__Host-miftah_simulator=[\w-]{43}; Max-Age=43200; Path=\/; Secure; HttpOnly; SameSite=Strict$/,
    );
  });

  it('takes a code once, whoever sends it first', async () => {
    const { createCode, exchange } = bench();
    const { code } = await createCode();
    const all = await Promise.all([exchange(code), exchange(code), exchange(code)]);
    expect(all.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([
      201, 403, 403,
    ]);
  });

  it('answers a used code, an old one and an invented one alike', async () => {
    const { createCode, exchange, clock } = bench();
    const [used, old] = [(await createCode()).code, (await createCode()).code];
    await exchange(used);
    clock.advance(2 * 60_000);
    const answers = [await exchange(used), await exchange(old), await exchange('x'.repeat(22))];
    const told = answers.map((answer) => ({ ...answer.json<object>(), request_id: null }));
    expect(new Set(told.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(answers.map(codeOf)).toEqual(Array.from(answers, () => 'session.code_refused'));
    expect(answers.map(({ headers }) => headers['set-cookie'])).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('takes a code until its last moment, and none from before the clock was set back', async () => {
    const { createCode, exchange, clock } = bench();
    const [last, before] = [(await createCode()).code, (await createCode()).code];
    clock.advance(2 * 60_000 - 1);
    expect((await exchange(last)).statusCode).toBe(201);
    clock.advance(-10 * 60_000);
    expect((await exchange(before)).statusCode).toBe(403);
  });

  it('forgets the oldest of more than 32 codes', async () => {
    const { createCode, exchange } = bench();
    const { code: first } = await createCode();
    const { code: second } = await createCode();
    for (let one = 0; one < 31; one += 1) await createCode();
    expect((await exchange(first)).statusCode).toBe(403);
    expect((await exchange(second)).statusCode).toBe(201);
  });

  it.each([{}, { code: '' }, { code: 'x'.repeat(65) }, { code: 1 }, { code: 'a', more: 1 }])(
    'refuses the body %j',
    async (payload) => {
      const { app } = bench();
      const answer = await app.inject({
        method: 'POST',
        url: '/simulator/session',
        payload,
        headers: own,
      });
      expect(codeOf(answer)).toBe('validation.failed');
    },
  );

  it('gives no cookie to a page of another origin', async () => {
    const { createCode, exchange } = bench();
    const { code } = await createCode();
    for (const origin of ['http://evil.example.test', 'http://192.168.1.5:8080', 'null']) {
      expect(codeOf(await exchange(code, { host, origin }))).toBe('simulator.foreign_origin');
    }
    expect((await exchange(code)).statusCode).toBe(201);
  });
});

describe('wrong codes', () => {
  it('are limited for an address', async () => {
    const { exchange, clock } = bench();
    for (let one = 0; one < 10; one += 1) {
      expect((await exchange(`wrong-${one}`)).statusCode).toBe(403);
    }
    clock.advance(30_000);
    const refused = await exchange('wrong');
    expect([refused.statusCode, codeOf(refused), refused.headers['retry-after']]).toEqual([
      429,
      'session.code_limit_reached',
      '30',
    ]);
    expect((await exchange('wrong', own, '192.168.1.78')).statusCode).toBe(403);
    clock.advance(30_000);
    expect((await exchange('wrong')).statusCode).toBe(403);
  });

  it('keep nobody out who has a right one: from 31 addresses, or the same', async () => {
    const { createCode, exchange } = bench();
    for (let one = 0; one < 300; one += 1) {
      const answer = await exchange('wrong', own, `10.0.0.${one % 30}`);
      expect(answer.statusCode).toBe(403);
    }
    for (const address of ['10.0.0.1', '10.0.0.31']) {
      const { code } = await createCode();
      expect((await exchange('wrong', own, address)).statusCode).toBe(429);
      expect((await exchange(code, own, address)).statusCode).toBe(201);
      expect((await exchange(code, own, address)).statusCode).toBe(429);
    }
  });

  it('do not stop at a limit for ever when the clock is set back', async () => {
    const { exchange, clock } = bench();
    for (let one = 0; one < 11; one += 1) await exchange('wrong');
    clock.advance(-3_600_000);
    expect((await exchange('wrong')).statusCode).toBe(403);
  });
});

describe('a session', () => {
  it('reads and decides, from its own pages', async () => {
    const { app, enter } = bench();
    const headers = { ...own, cookie: await enter() };
    const next = {
      method: 'POST',
      url: '/simulator/next',
      payload: { outcome: 'refuses' },
    } as const;
    expect((await app.inject({ ...next, headers })).statusCode).toBe(200);
  });

  it.each([
    ['no origin', {}],
    ['the origin of another port', { origin: 'http://192.168.1.5:8080' }],
    ['the origin of another host of the domain', { origin: 'http://192.168.1.6:4000' }],
    ['the origin of no page', { origin: 'null' }],
    ['another site', { origin: LAN, 'sec-fetch-site': 'same-site' }],
  ])('changes nothing with %s', async (_, headers) => {
    const { app, enter, engine } = bench();
    const cookie = await enter();
    const next = {
      method: 'POST',
      url: '/simulator/next',
      payload: { outcome: 'refuses' },
    } as const;
    const answer = await app.inject({ ...next, headers: { host, cookie, ...headers } });
    expect(codeOf(answer)).toBe('simulator.foreign_origin');
    expect(engine.next.list('default')).toEqual([]);
  });

  it('is for the names of this instance alone', async () => {
    const { enter, read } = bench();
    expect(await read(await enter(), { host: 'evil.example.test' })).toBe(421);
  });

  it('is not opened by another secret, by the digest, by two cookies or by a longer name', async () => {
    const { enter, read } = bench();
    const cookie = await enter();
    const [name = '', secret = ''] = cookie.split('=');
    for (const other of [
      `${name}=`,
      `${name}=${secret.slice(1)}`,
      `${cookie}; ${name}=x`,
      `${cookie}; ${cookie}`,
      `x${cookie}`,
      `${name}_5=${secret}`,
    ]) {
      expect(await read(other)).toBe(401);
    }
    expect(await read(`a=b; ${cookie}; c=d`)).toBe(200);
  });

  it('ends after twelve hours', async () => {
    const { enter, read, clock } = bench();
    const cookie = await enter();
    clock.advance(12 * 3_600_000 - 1);
    expect(await read(cookie)).toBe(200);
    clock.advance(1);
    expect(await read(cookie)).toBe(401);
  });

  it('ends when its browser leaves, and the cookie goes too', async () => {
    const { app, enter, read } = bench();
    const [cookie, other] = [await enter(), await enter()];
    const leave = { method: 'DELETE', url: '/simulator/session' } as const;
    const answer = await app.inject({ ...leave, headers: { ...own, cookie } });
    expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([
      204,
      'miftah_simulator_4000=; Max-Age=0; Path=/simulator; HttpOnly; SameSite=Strict',
    ]);
    expect([await read(cookie), await read(other)]).toEqual([401, 200]);
    expect((await app.inject({ ...leave, headers: { ...own, cookie } })).statusCode).toBe(401);
  });

  it('ends with a reset of the instance, but for the browser that asks for it', async () => {
    const { app, enter, read, createCode, exchange } = bench();
    const [mine, other] = [await enter(), await enter()];
    const { code } = await createCode();
    const reset = { method: 'POST', url: '/simulator/reset' } as const;
    const scope = { ...bearer, 'x-miftah-scope': 'a-test' };
    await app.inject({ ...reset, headers: scope });
    expect([await read(mine), await read(other)]).toEqual([200, 200]);
    await app.inject({ ...reset, headers: { ...own, cookie: mine } });
    expect([await read(mine), await read(other)]).toEqual([200, 401]);
    expect((await exchange(code)).statusCode).toBe(403);
    await app.inject({ ...reset, headers: bearer });
    expect(await read(mine)).toBe(401);
  });

  it('is one of at most 64: the oldest ends', async () => {
    const { enter, read } = bench();
    const [first, second] = [await enter(), await enter()];
    for (let one = 0; one < 63; one += 1) await enter();
    expect([await read(first), await read(second)]).toEqual([401, 200]);
  });

  it('is of one instance: another one, or the same after a restart, does not know it', async () => {
    const cookie = await bench().enter();
    const { app } = makeApp({ control: { publicUrl: LAN, token: TOKEN } });
    const answer = await app.inject({ url: PEOPLE, headers: { host, cookie } });
    expect(answer.statusCode).toBe(401);
  });

  it('takes its open stream with it', async () => {
    const { app, createCode } = bench();
    await app.listen({ host: '127.0.0.1', port: 0 });
    try {
      const { port } = app.server.address() as AddressInfo;
      const here = `http://127.0.0.1:${port}`;
      const { code } = await createCode();
      const entered = await fetch(`${here}/simulator/session`, {
        method: 'POST',
        headers: { origin: here, 'content-type': 'application/json' },
        body: JSON.stringify({ code }),
      });
      const cookie = String(entered.headers.get('set-cookie')).split(';')[0] ?? '';
      const stream = await fetch(`${here}/simulator/events`, { headers: { cookie } });
      const reader = stream.body?.getReader();
      expect((await reader?.read())?.done).toBe(false);
      const ended = (async () => {
        while ((await reader?.read())?.done === false);
      })().catch(() => 'cut');
      const left = await fetch(`${here}/simulator/session`, {
        method: 'DELETE',
        headers: { cookie, origin: here },
      });
      expect(left.status).toBe(204);
      expect(await ended).toBe('cut');
    } finally {
      await app.close();
    }
  });
});

it('neither codes nor cookies are logged', async () => {
  const { logged, createCode, exchange, enter, read } = bench();
  const cookie = await enter();
  await read(cookie);
  const { code } = await createCode();
  await exchange(code, { ...own, cookie });
  await exchange(code);
  await exchange('a-wrong-code-of-somebody');
  const secret = cookie.split('=')[1] ?? '';
  for (const text of [code, secret, 'a-wrong-code-of-somebody']) {
    expect(logged()).not.toContain(text);
  }
  expect(logged()).toContain('/simulator/session');
});
