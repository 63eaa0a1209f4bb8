import { beforeEach, describe, expect, it } from 'vitest';
import { RATE_WINDOW_MS } from '../../src/values/limits.ts';
import {
  bearer,
  complete,
  expectProblem,
  login,
  readStatus,
  startPhone,
  startRedirect,
  type Headers,
  type Started,
} from '../support/service/login.ts';
import { BASE, shareService, type Answer } from '../support/service/test-service.ts';

/** The limits of the interface document, and decision 0006. */

const service = shareService({ RATE_LIMITS: 'on' });
const behindProxies = shareService({
  RATE_LIMITS: 'on',
  TRUSTED_PROXIES: '10.0.0.0/8, fd00::/8',
  PROVIDER: 'simulator',
});

/** Ends every rate limit window of the previous test. */
beforeEach(() => {
  for (const one of [service, behindProxies]) one().clock.advance(RATE_WINDOW_MS);
});

interface Sent {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly body?: object;
  readonly headers?: Headers;
  readonly from?: string;
  readonly to?: typeof service;
}

function send(path: string, sent: Sent = {}): Promise<Answer> {
  const { method = 'POST', body, headers = {}, from = '203.0.113.7', to = service } = sent;
  const typed = body === undefined ? headers : { 'content-type': 'application/json', ...headers };
  return to().request({
    method,
    url: BASE + path,
    headers: typed,
    remoteAddress: from,
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
}

const start = (sent: Sent = {}) => send('/start', { body: { locale: 'en' }, ...sent });

/** Sends requests until the limit refuses one. @returns how many were allowed before */
async function countAllowed(once: () => Promise<Answer>): Promise<number> {
  for (let count = 0; count < 200; count += 1) {
    const answer = await once();
    if (answer.statusCode === 429) return count;
  }
  return Number.POSITIVE_INFINITY;
}

async function exhaust(sent: Sent = {}): Promise<void> {
  expect(await countAllowed(() => start(sent))).toBe(20);
}

describe('the quota of a minute', () => {
  it.each<[string, number, Sent]>([
    ['/start', 20, { body: { locale: 'en' } }],
    ['/callback', 20, { body: { state: 'x', auto_complete: true } }],
    ['/complete-mfa', 20, { body: { attempt_id: 'x' } }],
    ['/token/x', 20, { body: { attempt_token: 'x' } }],
    ['/user', 120, { method: 'GET' }],
    ['/tokens', 120, { method: 'GET' }],
    ['/token', 120, { method: 'DELETE' }],
    ['/tokens/x', 120, { method: 'DELETE' }],
    ['/introspect', 120, { body: { token: 'x' } }],
  ])('is exact at %s: %i', async (path, quota, sent) => {
    expect(await countAllowed(() => send(path, sent))).toBe(quota);
  });

  it('is 120 status reads of one attempt, from wherever they come', async () => {
    const [one, other] = [await startRedirect(service()), await startPhone(service())];
    let address = 0;
    const read = ({ attempt_id, attempt_token }: Started) =>
      send(`/status/${attempt_id}`, {
        method: 'GET',
        headers: { 'x-provider-attempt-token': attempt_token },
        from: `198.51.100.${(address += 1)}`,
      });
    expect(await countAllowed(() => read(one))).toBe(120);
    expect((await read(other)).statusCode).toBe(200);
  });

  it('is 20 posts of the sign-in form', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const post = () =>
      service().request({
        method: 'POST',
        url: `${BASE}/callback/sign-in`,
        headers,
        payload: 'a=b',
      });
    expect(await countAllowed(post)).toBe(20);
    const refused = await post();
    expect(refused.headers['retry-after']).toBe('60');
    expect(refused.headers['content-type']).toBe('text/html; charset=utf-8');
  });

  it('is not spent by what is no attempt to use it: pages, documents, health', async () => {
    for (const url of ['/', '/livez', '/errors', `${BASE}/callback?state=x`, `${BASE}/nothing`]) {
      const answer = await service().request({ method: 'GET', url });
      expect(answer.headers, url).not.toHaveProperty('ratelimit');
    }
  });

  it('is spent by refused requests too, whatever is wrong with them', async () => {
    for (let count = 0; count < 5; count += 1) {
      await start({ body: { locale: 'fr' } });
      await start({ headers: { 'content-type': 'text/plain' } });
      await start({ body: { padding: 'x'.repeat(20_000) } });
      await start({ body: { national_id: '1900000021', locale: 'en' } });
    }
    expectProblem(await start(), 'rate_limited');
  });
});

describe('the window', () => {
  it('is 60 seconds from the first request, however the others are spread', async () => {
    await start();
    service().clock.advance(RATE_WINDOW_MS - 1);
    for (let count = 1; count < 20; count += 1) await start();
    expectProblem(await start(), 'rate_limited');
    service().clock.advance(1);
    expect(await countAllowed(() => start())).toBe(20);
    expect(RATE_WINDOW_MS).toBe(60_000);
  });

  it('is not made longer by asking during it', async () => {
    await exhaust();
    for (let second = 0; second < 59; second += 1) {
      service().clock.advance(1000);
      expectProblem(await start(), 'rate_limited');
    }
    service().clock.advance(1000);
    expect((await start()).statusCode).toBe(200);
  });
});

describe('the headers of a limited operation', () => {
  it('say in both families where the caller stands', async () => {
    const first = await start();
    expect(first.headers).toMatchObject({
      ratelimit: '"start";r=19;t=60',
      'ratelimit-policy': '"start";q=20;w=60',
      'x-ratelimit-limit': '20',
      'x-ratelimit-remaining': '19',
    });
    service().clock.advance(17_500);
    const second = await start({ body: { locale: 'fr' } });
    expect(second.headers).toMatchObject({
      ratelimit: '"start";r=18;t=43',
      'x-ratelimit-remaining': '18',
    });
    expect(second.headers).not.toHaveProperty('retry-after');
  });

  it('say at the end how long to wait', async () => {
    await exhaust();
    service().clock.advance(59_001);
    const answer = await start();
    expect(answer.headers).toMatchObject({
      ratelimit: '"start";r=0;t=1',
      'ratelimit-policy': '"start";q=20;w=60',
      'x-ratelimit-limit': '20',
      'x-ratelimit-remaining': '0',
      'retry-after': '1',
    });
    const problem = expectProblem(answer, 'rate_limited');
    expect(problem.message).toBe('Too Many Attempts.');
    expect(problem['detail']).toBe(
      'Too Many Attempts. The limit "start" is 20 in 60 seconds. Try again in 1 second.',
    );
    expect(problem['violated-policies']).toEqual(['start']);
  });

  it('name each policy', async () => {
    const { token } = await login(service());
    const started = await startRedirect(service());
    const policies = [
      await start(),
      await complete(service(), started),
      await complete(service(), await startPhone(service())),
      await send('/token/x', { body: { attempt_token: 'x' } }),
      await readStatus(service(), started),
      await readStatus(service(), { ...started, attempt_token: 'x' }),
      await service().get('/user', bearer(token)),
      await service().post('/introspect', { token }, bearer('mfk_test_simulator')),
    ].map(({ headers }) => headers['ratelimit-policy']);
    expect(policies).toEqual([
      '"start";q=20;w=60',
      '"callback";q=20;w=60',
      '"complete-mfa";q=20;w=60',
      '"token";q=20;w=60',
      '"status";q=120;w=60',
      '"status-failures";q=120;w=60',
      '"bearer";q=120;w=60',
      '"bearer";q=120;w=60',
    ]);
  });
});

describe('what is counted apart', () => {
  it('are the operations', async () => {
    await exhaust();
    for (const [path, body] of [
      ['/callback', { state: 'x', auto_complete: true }],
      ['/complete-mfa', { attempt_id: 'x' }],
      ['/token/x', { attempt_token: 'x' }],
    ] as const) {
      expect((await send(path, { body })).headers['x-ratelimit-remaining']).toBe('19');
    }
  });

  it('are the addresses', async () => {
    await exhaust({ from: '203.0.113.7' });
    expect((await start({ from: '203.0.113.8' })).statusCode).toBe(200);
  });

  it('are not the attempts, for a redemption', async () => {
    let attempt = 0;
    const once = () => {
      attempt += 1;
      return send(`/token/${attempt}`, { body: { attempt_token: 'x' } });
    };
    expect(await countAllowed(once)).toBe(20);
  });

  it('are not the addresses of one IPv6 /64, but the /64s are', async () => {
    let host = 0;
    const fromNetwork = () => {
      host += 1;
      return start({ from: `2001:db8:1:2:${host.toString(16)}::${host.toString(16)}` });
    };
    expect(await countAllowed(fromNetwork)).toBe(20);
    expectProblem(await start({ from: '2001:0DB8:0001:0002::ffff' }), 'rate_limited');
    expect((await start({ from: '2001:db8:1:3::1' })).statusCode).toBe(200);
  });

  it('is not an IPv4 address written as IPv6', async () => {
    await exhaust({ from: '203.0.113.7' });
    for (const from of ['::ffff:203.0.113.7', '::ffff:cb00:7107', '::FFFF:203.0.113.7']) {
      expectProblem(await start({ from }), 'rate_limited');
    }
    expect((await start({ from: '::ffff:203.0.113.8' })).statusCode).toBe(200);
  });
});

const claim = (addresses: string): Headers => ({ 'x-forwarded-for': addresses });
const viaProxy = (addresses: string, from = '10.0.0.1') =>
  start({ from, headers: claim(addresses), to: behindProxies });

describe('forwarded addresses', () => {
  it('are not believed without TRUSTED_PROXIES, in no header', async () => {
    let claimed = 0;
    const names = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'x-client-ip', 'true-client-ip'];
    const once = () => {
      claimed += 1;
      const address = `198.51.100.${claimed}`;
      const headers = Object.fromEntries(
        names.map((name) => [name, name === 'forwarded' ? `for=${address}` : address]),
      );
      return start({ headers });
    };
    expect(await countAllowed(once)).toBe(20);
  });

  it('are believed from a trusted proxy, and counted apart', async () => {
    expect(await countAllowed(() => viaProxy('203.0.113.7', '10.1.2.3'))).toBe(20);
    expect((await viaProxy('203.0.113.8')).statusCode).toBe(200);
    expectProblem(await viaProxy('203.0.113.7', '10.9.9.9'), 'rate_limited');
  });

  it('are not believed from anybody else', async () => {
    let claimed = 0;
    const once = () => viaProxy(`198.51.100.${(claimed += 1)}`, '203.0.113.7');
    expect(await countAllowed(once)).toBe(20);
  });

  it('are read from the right, so that what the client itself wrote counts nothing', async () => {
    let forged = 0;
    const once = () => viaProxy(`198.51.100.${(forged += 1)}, 203.0.113.7, 10.0.0.2`);
    expect(await countAllowed(once)).toBe(20);
  });

  it('are counted by /64 like others', async () => {
    let host = 0;
    const once = () => viaProxy(`2001:db8:9:9::${(host += 1)}`, 'fd00::1');
    expect(await countAllowed(once)).toBe(20);
  });

  it('are the same with a port and in brackets', async () => {
    let port = 1000;
    const once = () => viaProxy(`203.0.113.7:${(port += 1)}`);
    expect(await countAllowed(once)).toBe(20);
    expectProblem(await viaProxy('203.0.113.7'), 'rate_limited');
    const inBrackets = () => viaProxy(`[2001:db8:9:9::1]:${(port += 1)}`);
    expect(await countAllowed(inBrackets)).toBe(20);
    expectProblem(await viaProxy('[2001:db8:9:9::2]'), 'rate_limited');
  });

  it('are read past proxies that are written with a port, in brackets, or as IPv6', async () => {
    const ways = ['10.0.0.2', '10.0.0.2:4711', '::ffff:10.0.0.2', '[fd00::2]:443', 'fd00::2%eth0'];
    let way = 0;
    const once = () =>
      viaProxy(`203.0.113.9, ${ways[(way += 1) % ways.length]}`, '::ffff:10.0.0.1');
    expect(await countAllowed(once)).toBe(20);
    expect((await viaProxy('203.0.113.10, 10.0.0.2:4711')).statusCode).toBe(200);
  });

  it('are those of the proxy when they are none, which the log says once in a minute', async () => {
    const told = () =>
      behindProxies()
        .logLines.filter((line) => line.includes('a forwarded address could not be read'))
        .map((line) => JSON.parse(line) as { level: number; count: number });
    let said = 0;
    const once = () => viaProxy(`${'x'.repeat(100)}${(said += 1)}`, '10.0.0.7');
    const before = told().length;
    expect(await countAllowed(once)).toBe(20);
    expect(told().length).toBe(before + 1);
    expectProblem(await viaProxy('unknown', '10.0.0.7'), 'rate_limited');
    expect((await viaProxy('unknown', '10.0.0.8')).statusCode).toBe(200);
    behindProxies().clock.advance(RATE_WINDOW_MS);
    await viaProxy('unknown', '10.0.0.8');
    expect(told().length).toBe(before + 2);
    expect(told().at(-1)).toMatchObject({ level: 40, count: said + 1 });
  });

  it('are those of the proxy, and no reason to say anything, where it names none', async () => {
    const before = behindProxies().logLines.filter((line) => line.includes('forwarded')).length;
    expect((await start({ from: '10.0.0.7', to: behindProxies })).statusCode).toBe(200);
    const after = behindProxies().logLines.filter((line) => line.includes('forwarded')).length;
    expect(after).toBe(before);
  });

  it('never break a request, whatever they say', async () => {
    const said = [
      '',
      ',',
      'unknown',
      '999.1.1.1',
      '::g',
      'a'.repeat(4000),
      '1.2.3.4:5',
      '/',
      '::1%a',
    ];
    for (const addresses of said) {
      expect((await viaProxy(addresses)).statusCode, addresses).toBe(200);
    }
  });
});

describe('failed status reads', () => {
  it('are counted as well when they bring no token, with the headers of a limit', async () => {
    const bare = () => send('/status/x', { method: 'GET' });
    const first = await bare();
    expectProblem(first, 'attempt.token_missing');
    expect(first.headers['ratelimit-policy']).toBe('"status-failures";q=120;w=60');
    expect(await countAllowed(bare)).toBe(119);
    const headers = { 'x-provider-attempt-token': 'x' };
    expectProblem(await send('/status/x', { method: 'GET', headers }), 'rate_limited');
  });

  it('are 120 for each address, and then 429', async () => {
    const { attempt_id } = await startRedirect(service());
    let count = 0;
    const guess = () => {
      count += 1;
      const id = count % 2 === 0 ? attempt_id : 'x';
      const headers = { 'x-provider-attempt-token': `guess-${count}` };
      return send(`/status/${id}`, { method: 'GET', headers });
    };
    expect(await countAllowed(guess)).toBe(120);
    const refused = await guess();
    expect(expectProblem(refused, 'rate_limited')['violated-policies']).toEqual([
      'status-failures',
    ]);
  });

  it('never block the holder of a right token, not even at the same address', async () => {
    const started = await startRedirect(service());
    const headers = { 'x-provider-attempt-token': 'guess' };
    const guess = () => send(`/status/${started.attempt_id}`, { method: 'GET', headers });
    await countAllowed(guess);
    const right = await send(`/status/${started.attempt_id}`, {
      method: 'GET',
      headers: { 'x-provider-attempt-token': started.attempt_token },
    });
    expect(right.statusCode).toBe(200);
    expect(right.headers['x-ratelimit-remaining']).toBe('119');
  });

  it('do not use up the reads of the attempt that they guess at', async () => {
    const started = await startRedirect(service());
    for (let count = 0; count < 30; count += 1) {
      await readStatus(service(), { ...started, attempt_token: 'guess' });
    }
    const answer = await readStatus(service(), started);
    expect(answer.headers['x-ratelimit-remaining']).toBe('119');
  });
});

const uncounted = shareService({ RATE_LIMITS: 'off' });

describe('RATE_LIMITS=off', () => {
  it('counts nothing and says nothing', async () => {
    const started = await startRedirect(uncounted());
    for (let count = 0; count < 130; count += 1) {
      expect((await readStatus(uncounted(), started)).statusCode).toBe(200);
      expect((await start({ to: uncounted })).statusCode).toBe(200);
    }
    const { headers } = await start({ to: uncounted });
    for (const name of ['ratelimit', 'ratelimit-policy', 'x-ratelimit-limit', 'retry-after']) {
      expect(headers).not.toHaveProperty(name);
    }
  });
});

describe('many at the same time', () => {
  it('are counted exactly', async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => start()));
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(20);
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(40);
  });
});
