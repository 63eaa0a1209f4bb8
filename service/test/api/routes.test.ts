import { describe, expect, it } from 'vitest';
import {
  bearer,
  complete,
  expectProblem,
  login,
  readStatus,
  redeem,
  startedOf,
  startRedirect,
  statusOf,
} from '../support/service/login.ts';
import { servedRoutes } from '../support/live/served-routes.ts';
import { sendRaw } from '../support/service/raw-request.ts';
import {
  BASE,
  openTestService,
  shareService,
  type Answer,
} from '../support/service/test-service.ts';

/** What is true of every answer, and how requests are refused before they are read. */

const service = shareService();
/** What GET does no more than read, so that HEAD is there too. */
const ONLY_READ = ['/status/:attempt_id', '/tokens', '/user'];
const UUID = /^[0-9a-f-]{36}$/;

const ENGLISH = { 'accept-language': 'en' };

type Headers = Readonly<Record<string, unknown>>;

function expectCommonHeaders(headers: Headers): void {
  expect(headers).toMatchObject({
    'x-auth-mode': 'simulator',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  expect(headers['x-request-id']).toMatch(UUID);
  expect(headers['content-security-policy']).toContain("default-src 'none'");
  expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
}

function get(url: string, headers: Record<string, string> = {}): Promise<Answer> {
  return service().request({ method: 'GET', url, headers });
}

describe('the headers of every answer', () => {
  it('are on success and on refusal in the whole of a login', async () => {
    const started = await service().post('/start', { locale: 'ar' });
    const attempt = await startRedirect(service());
    const pending = await redeem(service(), attempt);
    const answers = [
      started,
      pending,
      await readStatus(service(), attempt),
      await service().get(`/status/${attempt.attempt_id}`),
      await complete(service(), attempt),
      await redeem(service(), attempt),
      await redeem(service(), attempt),
      await service().post('/start', {}),
      await service().get('/user'),
      await service().get('/user', bearer('mft_test_wrong')),
      await service().post('/introspect', { token: 'x' }),
    ];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([
      200, 409, 200, 401, 200, 200, 409, 422, 401, 401, 401,
    ]);
    for (const { headers } of answers) expectCommonHeaders(headers);
  });

  it('are on an answer without a body', async () => {
    const { token } = await login(service());
    const answer = await service().remove('/token', bearer(token));
    expect(answer.statusCode).toBe(204);
    expectCommonHeaders(answer.headers);
  });

  it.each([
    ['/', 200],
    ['/dashboard', 200],
    ['/docs', 200],
    ['/docs/start.js', 200],
    ['/errors', 200],
    ['/errors/attempt.expired', 200],
    ['/livez', 200],
    ['/readyz', 200],
    ['/openapi.json', 200],
    [`${BASE}/callback?state=x`, 404],
    [`${BASE}/nothing`, 404],
    ['/errors/nothing', 404],
    [`${BASE}/start`, 405],
    ['/%zz', 404],
    [`${BASE}/status/${'a'.repeat(300)}`, 401],
  ])('are on %s', async (path, status) => {
    const answer = await get(path);
    expect(answer.statusCode).toBe(status);
    expectCommonHeaders(answer.headers);
  });

  it('are on the page for a code that there is not, which lists all and names the nearest', async () => {
    const html = { accept: 'text/html', 'accept-language': 'en' };
    const answer = await get('/errors/atempt.expired', html);
    expect(answer.statusCode).toBe(404);
    expectCommonHeaders(answer.headers);
    expect(answer.body).toContain('There is no error with the code in the address of this page.');
    expect(answer.body).toMatch(/Perhaps <a href="\/errors\/attempt\.expired\?locale=en">/);
    expect(answer.body).toContain('/errors/provider.timeout?locale=en');
    expect(answer.body).not.toContain('>atempt');
  });

  it.each([
    ['push.budget', 'push.budget_spent'],
    ['provider', null],
    ['push.budget_', null],
    ['nothing', null],
  ])('name the code that begins with %s, where there is one alone', async (written, code) => {
    const answer = await get(`/errors/${written}`, {
      accept: 'text/html',
      'accept-language': 'en',
    });
    const told = /Perhaps <a href="\/errors\/([\w.]+)\?/.exec(answer.body)?.[1] ?? null;
    expect(told).toBe(code);
  });

  it('are on an answer to HEAD, which has no body', async () => {
    for (const path of ['/livez', '/dashboard', `${BASE}/user`, '/x']) {
      const head = await service().app.inject({ method: 'HEAD', url: path });
      expect(head.statusCode, path).toBe((await get(path)).statusCode);
      expect(head.payload).toBe('');
      expectCommonHeaders(head.headers);
    }
  });

  it('are on a 405 to HEAD where GET does more than read', async () => {
    const { app } = service();
    const read = servedRoutes(app).filter(({ method }) => method === 'HEAD');
    const ofApi = read.map(({ path }) => path).filter((path) => path.startsWith(BASE));
    expect(ofApi.map((path) => path.replace(BASE, '')).toSorted()).toEqual(ONLY_READ);
    const started = startedOf(
      await service().post('/start', { locale: 'en' }, { 'x-simulate': 'approves_at_once' }),
    );
    const url = `${BASE}/callback?state=${started.attempt_id}`;
    const head = await app.inject({ method: 'HEAD', url });
    expect([head.statusCode, head.headers.allow]).toEqual([405, 'GET, POST']);
    expectCommonHeaders(head.headers);
    expect(await statusOf(service(), started)).toBe('pending');
  });

  it('are on a preflight', async () => {
    const answer = await service().request({
      method: 'OPTIONS',
      url: `${BASE}/start`,
      headers: { origin: 'http://localhost:5173', 'access-control-request-method': 'POST' },
    });
    expect(answer.statusCode).toBe(204);
    expectCommonHeaders(answer.headers);
  });

  it('let nothing be kept but the files whose names change with their content', async () => {
    const page = await get('/dashboard');
    const [, stylesheet = ''] = /href="(\/assets\/[^"]+\.css)"/.exec(page.payload) ?? [];
    const answer = await get(stylesheet);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  });

  it('have a request id of their own, which a client can not choose', async () => {
    const chosen = { 'x-request-id': 'mine', 'request-id': 'mine' };
    const ids = [await get('/livez', chosen), await get('/livez', chosen)].map(
      ({ headers }) => headers['x-request-id'],
    );
    expect(new Set(ids).size).toBe(2);
    expect(ids).not.toContain('mine');
  });
});

describe('an answer to what is no HTTP request', () => {
  const HOST = 'Host: localhost\r\n';
  const LAST = 'Connection: close\r\n\r\n';

  it.each([
    ['garbage', 400, 'request.malformed', 'GARBAGE\r\n\r\n'],
    ['an unknown method', 400, 'request.malformed', `FOO / HTTP/1.1\r\n${HOST}\r\n`],
    ['an unknown version', 400, 'request.malformed', `GET / HTTP/9.9\r\n${HOST}\r\n`],
    [
      'a control in a header',
      400,
      'request.malformed',
      `GET / HTTP/1.1\r\n${HOST}a: b\x01\r\n\r\n`,
    ],
    [
      'two lengths',
      400,
      'request.malformed',
      `POST / HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`,
    ],
    [
      'a length and chunks',
      400,
      'request.malformed',
      `POST / HTTP/1.1\r\n${HOST}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
    ],
    [
      'an unknown encoding',
      400,
      'request.malformed',
      `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: xchunked\r\n\r\n`,
    ],
    ['a folded header', 400, 'request.malformed', `GET / HTTP/1.1\r\n${HOST} folded\r\n\r\n`],
    ['no headers end', 431, 'request.headers_too_large', `GET / HTTP/1.1\r\n${'a'.repeat(20_000)}`],
    [
      'headers of 20 kB',
      431,
      'request.headers_too_large',
      `GET / HTTP/1.1\r\n${HOST}a: ${'a'.repeat(20_000)}\r\n\r\n`,
    ],
    [
      'two Hosts',
      400,
      'request.malformed',
      `GET /livez HTTP/1.1\r\n${HOST}HOST: localhost\r\n${LAST}`,
    ],
    [
      'a target of another host',
      421,
      'request.misdirected',
      `GET http://evil.example/livez HTTP/1.1\r\n${HOST}${LAST}`,
    ],
    ['no Host', 421, 'request.misdirected', `GET /livez HTTP/1.1\r\n${LAST}`],
    ['no Host in HTTP/1.0', 421, 'request.misdirected', 'GET /livez HTTP/1.0\r\n\r\n'],
    ['a broken escape', 404, 'route.not_found', `GET /%zz HTTP/1.1\r\n${HOST}${LAST}`],
  ])('has the whole form of an error: %s', async (_, status, code, bytes) => {
    const answer = await sendRaw(service(), bytes);
    expect(answer.status, answer.body).toBe(status);
    expectCommonHeaders(Object.fromEntries(answer.headers));
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(answer.headers.get('connection')).toBe('close');
    expect(JSON.parse(answer.body)).toMatchObject({
      type: `/errors/${code}`,
      status,
      code,
      request_id: answer.headers.get('x-request-id'),
    });
  });

  it.each([
    ['an expectation', `GET /livez HTTP/1.1\r\n${HOST}Expect: wonders\r\n${LAST}`],
    ['a wish to change protocols', `GET /livez HTTP/1.1\r\n${HOST}Upgrade: h2c\r\n${LAST}`],
    ['a header called __proto__', `GET /livez HTTP/1.1\r\n${HOST}__proto__: x\r\n${LAST}`],
  ])('is not made of %s', async (_, bytes) => {
    const answer = await sendRaw(service(), bytes);
    expect(answer.status).toBe(200);
    expectCommonHeaders(Object.fromEntries(answer.headers));
  });

  it('is the usual one for a target that names this host, whose links stay here', async () => {
    const target = 'http://LOCALHOST:3000/dashboard?x=1';
    const answer = await sendRaw(service(), `GET ${target} HTTP/1.1\r\n${HOST}${LAST}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatch(/href="\/dashboard\?x=1&amp;locale=(ar|en)"/);
    expect(answer.body).not.toMatch(/href="http:\/\/localhost:3000\/dashboard\?/i);
  });

  it('comes alone: what follows in the same bytes is not served', async () => {
    const follower = `GET /livez HTTP/1.1\r\n${HOST}${LAST}`;
    const answer = await sendRaw(service(), `GARBAGE\r\n\r\n${follower}`);
    expect(answer.body).not.toContain('HTTP/1.1');
  });
});

describe('a path that is not there', () => {
  it.each([
    `${BASE}/`,
    `${BASE}/start/`,
    `//api/v1/start`,
    `/api/v1//start`,
    `/API/v1/start`,
    '/start',
    '/api/v2/start',
    `${BASE}/status/a/b`,
    `${BASE}/token/a/b`,
    `${BASE}/status/%2e%2e/start/x`,
    '/assets/nothing.css',
    '/.env',
  ])('is 404 for every method: %s', async (url) => {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'TRACE'] as const) {
      expectProblem(await service().request({ method, url }), 'route.not_found');
    }
  });
});

describe('an id that can not be one', () => {
  const LONG = 'x'.repeat(8000);

  it.each([LONG, '%ff', '%', '%zz', '%c3%28', '%e0%80%80', '%00', '%2f'])(
    'is an unknown one: %.20s',
    async (id) => {
      const headers = { 'x-provider-attempt-token': 'x' };
      expectProblem(await service().get(`/status/${id}`, headers), 'attempt.not_found');
      expectProblem(await service().get(`/status/${id}`), 'attempt.token_missing');
      const redeemed = await service().post(`/token/${id}`, { attempt_token: 'x' });
      expectProblem(redeemed, 'attempt.not_found');
      const { token } = await login(service());
      expectProblem(await service().remove(`/tokens/${id}`, bearer(token)), 'token.not_found');
    },
  );

  it('leaves the query as it is', async () => {
    const answer = await get('/dashboard%ff?attempt_id=%41');
    expectProblem(answer, 'route.not_found');
    expect((await get('/dashboard?locale=%zz')).statusCode).toBe(200);
  });
});

const NAVIGATION = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe('a mistyped address in a browser', () => {
  it.each([
    ['GET', '/nothing', 404, 'route.not_found'],
    ['GET', `${BASE}/nothing`, 404, 'route.not_found'],
    ['GET', `${BASE}/start`, 405, 'request.method_not_allowed'],
    ['POST', '/dashboard', 405, 'request.method_not_allowed'],
  ] as const)('is a page with the code: %s %s', async (method, url, status, code) => {
    const headers = { accept: NAVIGATION, 'accept-language': 'en' };
    const answer = await service().request({ method, url, headers });
    expect(answer.statusCode).toBe(status);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.headers['allow'] === undefined).toBe(status === 404);
    expect(answer.payload).toContain(`>${code}</code>`);
    const again = method === 'GET' ? url : `/errors/${code}`;
    expect(answer.payload).toContain(`href="${again}?locale=ar"`);
  });

  it.each(['//evil.test/x', '/\\evil.test', '/%2F/evil.test', `/${'a'.repeat(201)}`, '/<b>'])(
    'has no link to an address that could lead elsewhere, or is long: %s',
    async (url) => {
      const headers = ['Host: localhost', `Accept: ${NAVIGATION}`, 'Connection: close'];
      const head = [`GET ${url} HTTP/1.1`, ...headers, '', ''].join('\r\n');
      const { status, body } = await sendRaw(service(), head);
      expect(status).toBe(404);
      expect(body).toContain('href="/errors/route.not_found?locale=en"');
      expect(body).not.toMatch(/evil|aaa|<b>/);
    },
  );

  it('has no query in the link to its other language', async () => {
    const url = '/nothing?locale=en&code=secret-value';
    const { payload } = await service().request({
      method: 'GET',
      url,
      headers: { accept: NAVIGATION },
    });
    expect(payload).toContain('href="/nothing?locale=ar"');
    expect(payload).not.toContain('secret-value');
  });

  it.each(['*/*', 'application/json', 'application/json, text/html', 'text/html;q=0', undefined])(
    'is JSON for a program: %s',
    async (accept) => {
      const headers = accept === undefined ? {} : { accept };
      const answer = await service().request({ method: 'GET', url: '/nothing', headers });
      expect(answer.json()).toMatchObject({ code: 'route.not_found', status: 404 });
    },
  );

  it.each([
    [{ 'accept-language': 'en' }, '', 'en'],
    [{ 'accept-language': 'ar' }, '', 'ar'],
    [{ 'accept-language': 'ar' }, '?locale=en', 'en'],
    [{}, '', 'ar'],
  ] as const)('is in one language with all pages: %j %s', async (language, query, locale) => {
    const headers = { accept: NAVIGATION, ...language };
    for (const path of ['/nothing', '/', '/errors', '/dashboard']) {
      const { payload } = await service().request({ method: 'GET', url: path + query, headers });
      expect(payload).toContain(`<html lang="${locale}"`);
    }
  });
});

describe('an unknown path of the API', () => {
  it.each([
    ['POST', `${BASE}/strat`, 'POST /api/v1/start'],
    ['GET', `${BASE}/start/`, 'POST /api/v1/start'],
    ['GET', '/api/v2/user', 'GET /api/v1/user'],
    ['POST', `${BASE}/complete_mfa`, 'POST /api/v1/complete-mfa'],
    ['GET', `${BASE}/statsu/secret-value`, 'GET /api/v1/status/{attempt_id}'],
    ['POST', '/start', 'POST /api/v1/start'],
    ['GET', '/status/secret-value?wait=1', 'GET /api/v1/status/{attempt_id}'],
    ['POST', '/token/secret-value', 'POST /api/v1/token/{attempt_id}'],
    ['POST', '/v1/callback', 'POST /api/v1/callback'],
    ['POST', '/api/complete-mfa', 'POST /api/v1/complete-mfa'],
    ['GET', `${BASE}${BASE}/status/secret-value`, 'GET /api/v1/status/{attempt_id}'],
    ['POST', '/scopes/secret-value/start', 'POST /scopes/{scope}/api/v1/start'],
    ['POST', `${BASE}/attempts/secret-value/cancel`, 'DELETE /api/v1/attempts/{attempt_id}'],
    ['POST', '/attempts/secret-value/cancel', 'DELETE /api/v1/attempts/{attempt_id}'],
    ['GET', '/simulater/outcomes', 'GET /simulator/outcomes'],
    ['GET', '/simulator/outcoms', 'GET /simulator/outcomes'],
    ['DELETE', '/simulator/peple/secret-value', 'DELETE /simulator/people/{id}'],
    ['GET', '/api/v1/simulator/outcomes', 'GET /simulator/outcomes'],
    ['GET', '/consle', 'GET /console'],
    ['GET', '/errors/secret-value/', 'GET /errors/{code}'],
  ] as const)(
    'is answered with the operation that was meant: %s %s',
    async (method, url, meant) => {
      const ask = (language: string) =>
        service().request({ method, url, headers: { 'accept-language': language } });
      const problem = expectProblem(await ask('en'), 'route.not_found');
      expect(problem['detail']).toContain(` Did you mean ${meant}?`);
      expect(JSON.stringify(problem)).not.toContain('secret-value');
      expect(expectProblem(await ask('ar'), 'route.not_found')['detail']).toContain(
        ` هل تقصد ${meant}؟`,
      );
    },
  );

  it.each([
    `${BASE}/nothing`,
    '/stat',
    '/x',
    '/status',
    `/token/${'x'.repeat(90)}`,
    `${BASE}/statsu/${'x'.repeat(90)}`,
    `${BASE}/${'start'.repeat(900)}`,
  ])('is answered without one where none is near, or it is long: %s', async (url) => {
    expect(expectProblem(await get(url), 'route.not_found')['detail']).not.toContain('Did you');
  });
});

it.each(['/openid/authorize', '/openid/secret-value', '/.well-known/openid-config'])(
  'where OpenID is off %s says so',
  async (url) => {
    const { detail } = expectProblem(await get(url), 'route.not_found');
    expect(detail).toContain('The OpenID Provider is off here: set OPENID=on.');
    expect(detail).not.toContain('secret-value');
  },
);

it('below /simulator a wrong method is answered as anywhere, and a browser gets a page', async () => {
  const url = '/simulator/clock';
  const refused = await service().request({ method: 'DELETE', url, headers: ENGLISH });
  expect(expectProblem(refused, 'request.method_not_allowed')['detail']).toContain(
    'Use GET or HEAD or POST.',
  );
  expect(refused.headers['allow']).toBe('GET, HEAD, POST');
  const page = await get('/simulator/phnoe', { accept: 'text/html' });
  expect(page).toMatchObject({ statusCode: 404 });
  expect(page.headers['content-type']).toContain('text/html');
});

it('where OpenID is on, a misspelt address of it names the one that was meant', async () => {
  const open = await openTestService({ settings: { OPENID: 'on' } });
  const detailOf = async (url: string) =>
    (await open.app.inject({ url, headers: { 'accept-language': 'en' } })).json<{
      detail: string;
    }>().detail;
  const discovery = 'Did you mean GET /.well-known/openid-configuration?';
  expect(await detailOf('/.well-known/openid-config')).toContain(discovery);
  expect(await detailOf('/openid/.well-known/openid-configuration')).toContain(discovery);
  expect(await detailOf('/openid/authorise')).toContain('Did you mean GET /openid/authorize?');
  const put = { method: 'PUT', url: '/openid/token' } as const;
  const refused = await open.app.inject({ ...put, headers: { 'accept-language': 'en' } });
  expect(refused.json<{ detail: string }>().detail).toMatch(/ Use POST\.$/);
});

it.each(['ar', 'en'])(
  'the home page leads to the errors in its own language: %s',
  async (locale) => {
    const { body } = await get(`/?locale=${locale}`);
    expect(body).toContain(`href="/errors?locale=${locale}"`);
  },
);

it('the page for a mistyped address leads a person to the pages that are there', async () => {
  const sent = { url: '/nope', headers: { accept: 'text/html', 'accept-language': 'en' } } as const;
  const { body, statusCode } = await service().request({ method: 'GET', ...sent });
  const { app } = service();
  expect([statusCode, app.hasRoute({ method: 'GET', url: '/console' })]).toEqual([404, true]);
  expect(body).toContain('<a href="/?locale=en">To the home page</a>');
  expect(body).toContain('<a href="/console?locale=en">Simulator console</a>');
});

describe('a method that is not there', () => {
  it.each([
    [`${BASE}/start`, 'POST'],
    [`${BASE}/status/x`, 'GET, HEAD'],
    [`${BASE}/callback`, 'GET, POST'],
    [`${BASE}/complete-mfa`, 'POST'],
    [`${BASE}/token/x`, 'POST'],
    [`${BASE}/token`, 'DELETE'],
    [`${BASE}/tokens`, 'GET, HEAD'],
    [`${BASE}/tokens/x`, 'DELETE'],
    [`${BASE}/user`, 'GET, HEAD'],
    [`${BASE}/introspect`, 'POST'],
    [`${BASE}/callback/sign-in`, 'POST'],
    ['/livez', 'GET, HEAD'],
  ])('at %s is 405 and names %s', async (url, allow) => {
    for (const method of ['PUT', 'PATCH', 'TRACE', 'PROPFIND', 'QUERY'] as const) {
      const answer = await service().request({ method, url });
      expect(answer.json()).toMatchObject({ code: 'request.method_not_allowed' });
      expect(answer.statusCode).toBe(405);
      expect(answer.headers['allow']).toBe(allow);
      const { detail } = answer.json<{ detail: string }>();
      expect(detail).toContain(` Use ${allow.replaceAll(', ', ' or ')}.`);
    }
  });

  it('can not be put in by a header or a member', async () => {
    const { token } = await login(service());
    const headers = { 'x-http-method-override': 'DELETE', ...bearer(token) };
    expectProblem(await service().post('/token', {}, headers), 'request.method_not_allowed');
    expect((await service().get('/user?_method=DELETE', headers)).statusCode).toBe(200);
    expect((await service().get('/user', bearer(token))).statusCode).toBe(200);
  });
});

describe('route and method come before everything else', () => {
  it.each([
    ['a body that is no JSON', { 'content-type': 'application/json' }],
    ['a body of another type', { 'content-type': 'text/plain' }],
    ['a foreign Host', { host: 'evil.test' }],
  ])('with %s', async (_, headers) => {
    const sent = { method: 'PUT', headers, payload: '{' } as const;
    const unknown = await service().request({ ...sent, url: `${BASE}/nothing` });
    expectProblem(unknown, 'route.not_found');
    const known = await service().request({ ...sent, url: `${BASE}/start` });
    expectProblem(known, 'request.method_not_allowed');
  });
});

describe('the Host header', () => {
  it.each([
    'localhost',
    'LOCALHOST:3000',
    'localhost:65535',
    '127.0.0.1',
    '127.0.0.1:8080',
    '[::1]',
    '[::1]:3000',
  ])('may be %s', async (host) => {
    expect((await get('/livez', { host })).statusCode).toBe(200);
  });

  it.each([
    'evil.test',
    'localhost.evil.test',
    'evil.test:3000',
    '127.0.0.2',
    '0.0.0.0',
    '[::2]',
    '::1',
    'localhost:',
    'localhost:abc',
    'localhost:123456',
    'localhost@evil.test',
    'localhost/evil.test',
    'localhost, evil.test',
    'localhost.',
    '127.1',
  ])('may not be %s, on any route', async (host) => {
    for (const url of ['/', '/livez', '/docs', `${BASE}/user`, `${BASE}/callback?state=x`]) {
      const answer = await get(url, { host });
      expect(answer.statusCode, url).toBe(421);
      expect(answer.payload).toContain('ALLOWED_HOSTS');
    }
    const answer = await service().post('/start', { locale: 'en' }, { host });
    const problem = expectProblem(answer, 'request.misdirected');
    expect(problem.message).toContain('ALLOWED_HOSTS');
    expect(answer.payload).not.toMatch(/[@/,] ?evil/);
  });

  it.each([
    ['login.elsewhere.test:8443', ' It was sent to login.elsewhere.test:8443.'],
    ['a'.repeat(101), ''],
    ['<b>', ''],
    ['a\u0001', ''],
  ])('is named in the detail where it is written as a host, and short: %j', async (host, told) => {
    const answer = await get('/livez', { host, 'accept-language': 'en' });
    const problem = expectProblem(answer, 'request.misdirected');
    expect(problem['detail']).toBe(`${problem.message}${told}`);
  });

  it('may name the host of PUBLIC_URL and those of ALLOWED_HOSTS, and no part of them', async () => {
    const settings = {
      PROVIDER: 'simulator',
      PUBLIC_URL: 'https://Login.example.test:8443',
      ALLOWED_HOSTS: 'internal, 10.0.0.7, fd00::7',
    };
    const other = await openTestService({ settings });
    const status = async (host: string) =>
      (await other.request({ method: 'GET', url: '/livez', headers: { host } })).statusCode;
    for (const host of ['login.example.test', 'internal:80', '10.0.0.7', '[fd00::7]:3000']) {
      expect(await status(host), host).toBe(200);
    }
    for (const host of ['example.test', 'a.internal', 'internal.test', '10.0.0.70']) {
      expect(await status(host), host).toBe(421);
    }
  });

  it('is answered before a request is counted, and before its body is read', async () => {
    const counted = await openTestService();
    const answer = await counted.post('/start', 'no object', { host: 'evil.test' });
    expectProblem(answer, 'request.misdirected');
    expect(answer.headers).not.toHaveProperty('ratelimit');
  });
});

const preflight = (origin: string) =>
  service().request({
    method: 'OPTIONS',
    url: `${BASE}/start`,
    headers: { origin, 'access-control-request-method': 'POST' },
  });

describe('pages of other origins', () => {
  it.each(['http://localhost:5173', 'https://127.0.0.1', 'http://[::1]:8081'])(
    'on this machine may call: %s',
    async (origin) => {
      const answer = await preflight(origin);
      expect(answer.headers['access-control-allow-origin']).toBe(origin);
      expect(answer.headers['access-control-allow-methods']).toBe('GET, POST, DELETE');
      expect(answer.headers['vary']).toContain('Origin');
      expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
    },
  );

  it.each([
    'https://evil.test',
    'null',
    'http://localhost.evil.test',
    'http://localhost:5173.evil.test',
    'file://localhost',
    'http://127.0.0.1@evil.test',
  ])('elsewhere may not: %s', async (origin) => {
    for (const answer of [await preflight(origin), await get('/livez', { origin })]) {
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    }
  });

  it('are told by a preflight that they are not listed, and what helps', async () => {
    const answer = await preflight('https://evil.test');
    expectProblem(answer, 'origin.refused');
    expect(answer.payload).toContain('CORS_ORIGINS');
    // An OPTIONS request without Access-Control-Request-Method is no preflight.
    const url = `${BASE}/start`;
    expectProblem(
      await service().request({ method: 'OPTIONS', url }),
      'request.method_not_allowed',
    );
  });

  it('may when they are listed, exactly', async () => {
    const other = await openTestService({ settings: { CORS_ORIGINS: 'https://app.example.test' } });
    const allowed = async (origin: string) => {
      const answer = await other.request({ method: 'GET', url: '/livez', headers: { origin } });
      return answer.headers['access-control-allow-origin'];
    };
    expect(await allowed('https://app.example.test')).toBe('https://app.example.test');
    expect(await allowed('http://app.example.test')).toBeUndefined();
    expect(await allowed('https://app.example.test.evil.test')).toBeUndefined();
  });

  it('may be an application’s own, listed by its scheme', async () => {
    const listed = 'capacitor://localhost';
    const settings = { CORS_ORIGINS: `${listed},ionic://localhost` };
    const app = await openTestService({ settings });
    const start = async (origin: string) => {
      const headers = { origin, 'sec-fetch-site': 'cross-site' };
      const { statusCode, headers: said } = await app.post('/start', { locale: 'en' }, headers);
      return [statusCode, said['access-control-allow-origin']];
    };
    expect(await start(listed)).toEqual([200, listed]);
    expect(await start('ionic://localhost')).toEqual([200, 'ionic://localhost']);
    for (const other of ['capacitor://localhost:80', 'capacitor://localhost.evil.test', 'null']) {
      expect(await start(other), other).toEqual([403, undefined]);
    }
  });

  it('may send what libraries for tracing add to each request', async () => {
    const answer = await preflight('http://localhost:5173');
    const allowed = String(answer.headers['access-control-allow-headers']).split(', ');
    const added = ['traceparent', 'tracestate', 'baggage', 'sentry-trace'];
    expect(allowed).toEqual(expect.arrayContaining(added));
  });

  it('can read the headers that a client needs, also on errors', async () => {
    const headers = { origin: 'http://localhost:5173' };
    for (const path of ['/livez', `${BASE}/user`, `${BASE}/nothing`, `${BASE}/start`]) {
      const answer = await get(path, headers);
      const exposed = String(answer.headers['access-control-expose-headers']).split(', ');
      expect(exposed, path).toEqual(
        expect.arrayContaining(['Retry-After', 'X-Request-Id', 'RateLimit', 'X-RateLimit-Limit']),
      );
    }
  });
});
