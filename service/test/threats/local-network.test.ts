import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import { openTestService } from '../support/service/test-service.ts';

/** What somebody in the same network may try on an instance that was opened to it. */

const TOKEN = 'a-token-that-is-long-enough';
const ORIGIN = 'http://192.168.1.5:3000';
const OPEN = {
  HOST: '0.0.0.0',
  PUBLIC_URL: ORIGIN,
  PROVIDER: 'simulator',
  SIMULATOR_TOKEN: TOKEN,
};
const host = '192.168.1.5:3000';
const own = { host, origin: ORIGIN };

async function open(settings: Record<string, string> = OPEN) {
  const service = await openTestService({ settings });
  const request = (sent: InjectOptions) => service.request(sent);

  async function createCode(): Promise<string> {
    const headers = { host, authorization: `Bearer ${TOKEN}` };
    const answer = await request({ method: 'POST', url: '/simulator/session-codes', headers });
    return answer.json<{ data: { code: string } }>().data.code;
  }

  const exchange = (code: string, headers: Record<string, string> = own) =>
    request({
      method: 'POST',
      url: '/simulator/session',
      headers: { 'content-type': 'application/json', ...headers },
      payload: JSON.stringify({ code }),
    });

  async function enter(): Promise<string> {
    const { headers } = await exchange(await createCode());
    return String(headers['set-cookie']).split(';')[0] ?? '';
  }

  const statusOf = async (method: 'GET' | 'POST', url: string, headers: Record<string, string>) =>
    (await request({ method, url, headers })).statusCode;
  return { logLines: service.logLines, request, createCode, exchange, enter, statusOf };
}

/** What an answer tells, without the id that each one has of its own. */
const saidIn = ({ statusCode, payload }: LightMyRequestResponse) =>
  `${statusCode} ${payload.replace(/"request_id":"[^"]+"/, '')}`;

/** A start with `--lan` on a machine with that address. */
const start = (environment: Record<string, string>) =>
  loadConfig(['--lan'], environment, {}, () => ['192.168.1.5']);

describe('threat 86: a code of the local network, guessed, used twice or read later', () => {
  it('lets in one of eight who send it at the same time', async () => {
    const { createCode, exchange } = await open();
    const code = await createCode();
    const answers = await Promise.all(Array.from({ length: 8 }, () => exchange(code)));
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(1);
    expect(answers.filter(({ statusCode }) => statusCode === 403)).toHaveLength(7);
  });

  it('is not guessed: after ten tries of a minute others are not answered, and the right one is', async () => {
    const { createCode, exchange } = await open();
    const code = await createCode();
    const tries = Array.from({ length: 10 }, (_, one) => `${code.slice(0, -2)}${10 + one}`);
    const answers = [];
    for (const wrong of tries) answers.push(await exchange(wrong));
    expect(new Set(answers.map(saidIn)).size).toBe(1);
    const late = await exchange(`${code.slice(0, -2)}AB`);
    expect([late.statusCode, late.headers['set-cookie']]).toEqual([429, undefined]);
    // Others who guess can't keep out the one who has it.
    expect((await exchange(code)).statusCode).toBe(201);
  });

  it('says of none whether it ever was one', async () => {
    const { createCode, exchange } = await open();
    const used = await createCode();
    await exchange(used);
    const answers = [await exchange(used), await exchange('nobody-has-had-this-co')];
    expect(new Set(answers.map(saidIn)).size).toBe(1);
  });

  it('stands in no log, nor does the cookie', async () => {
    const { createCode, exchange, enter, statusOf, logLines } = await open();
    const code = await createCode();
    const cookie = await enter();
    await exchange(code, { ...own, cookie });
    await exchange(code);
    await statusOf('GET', '/simulator/people', { host, cookie });
    const log = logLines.join('\n');
    expect(log).toContain('/simulator/session');
    for (const secret of [code, cookie.split('=')[1] ?? cookie]) expect(log).not.toContain(secret);
  });
});

describe('threat 87: a foreign page uses the cookie of a session', () => {
  it.each([
    ['a program that names no page', {}],
    ['another port of the same machine', { origin: 'http://192.168.1.5:8080' }],
    ['a machine beside it', { origin: 'http://192.168.1.6:3000' }],
    ['a page without an origin', { origin: 'null' }],
    ['a page of the same site', { origin: ORIGIN, 'sec-fetch-site': 'same-site' }],
  ])('%s changes nothing', async (_, from) => {
    const { enter, request, statusOf } = await open();
    const cookie = await enter();
    const answer = await request({
      method: 'POST',
      url: '/simulator/next',
      headers: { host, cookie, 'content-type': 'application/json', ...from },
      payload: '{"outcome":"refuses"}',
    });
    expect([answer.statusCode, answer.json()]).toMatchObject([
      403,
      { code: 'simulator.foreign_origin' },
    ]);
    const queued = await request({ url: '/simulator/next', headers: { host, cookie } });
    expect(queued.json()).toEqual({ data: [] });
    expect(await statusOf('POST', '/simulator/session-codes', { host, cookie, ...from })).toBe(403);
  });

  it('a name that leads here reads nothing with it, and no answer lets another origin read', async () => {
    const { enter, request } = await open();
    const cookie = await enter();
    const rebound = await request({
      url: '/simulator/people',
      headers: { host: 'evil.example.test:3000', cookie },
    });
    expect(rebound.statusCode).toBe(421);
    const answer = await request({ url: '/simulator/people', headers: { ...own, cookie } });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
  });

  it('the cookie is sent by no page of another site, and read by no script', async () => {
    const { createCode, exchange } = await open();
    const { headers } = await exchange(await createCode());
    const attributes = String(headers['set-cookie']).split('; ').slice(1);
    expect(attributes).toEqual(expect.arrayContaining(['HttpOnly', 'SameSite=Strict']));
    expect(attributes).toContain('Path=/simulator');
  });

  it('it opens nothing but the control API: area A takes no cookie', async () => {
    const { enter, request } = await open();
    const answer = await request({ url: '/api/v1/user', headers: { host, cookie: await enter() } });
    expect(answer.statusCode).toBe(401);
  });
});

describe('threat 88: --lan opens what should stay closed', () => {
  it.each([
    ['a real provider', { PROVIDER: 'live' }],
    ['production', { NODE_ENV: 'production' }],
    ['a simulator in production', { NODE_ENV: 'production', ALLOW_SIMULATOR: 'yes' }],
    ['strict mode', { STRICT: 'yes' }],
    ['an address of its own', { PUBLIC_URL: 'https://login.example.com' }],
    ['a host of its own', { HOST: '127.0.0.1' }],
  ])('it is refused with %s', (_what, environment) => {
    expect(() => start(environment)).toThrow('--lan');
  });

  it('without a token nobody comes in but by a code, not even from this machine', async () => {
    const { SIMULATOR_TOKEN: _, ...withoutToken } = OPEN;
    const { statusOf } = await open(withoutToken);
    for (const name of [host, 'localhost:3000']) {
      expect(await statusOf('GET', '/simulator/people', { host: name })).toBe(401);
      expect(await statusOf('POST', '/simulator/session-codes', { host: name })).toBe(401);
      const empty = { host: name, authorization: 'Bearer ' };
      expect(await statusOf('GET', '/simulator/people', empty)).toBe(401);
    }
  });
});
