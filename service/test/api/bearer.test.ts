import { describe, expect, it } from 'vitest';
import { parseApiToken } from '../../src/account/api-token.ts';
import { DAY_MS } from '../../src/values/time.ts';
import {
  approveInBrowser,
  bearer,
  dataOf,
  expectProblem,
  FAISAL,
  issuedOf,
  KUSUMA,
  login,
  readStatus,
  redeem,
  startCompleted,
  startRedirect,
  type Json,
} from '../support/service/login.ts';
import {
  openTestService,
  shareService,
  type TestService,
} from '../support/service/test-service.ts';

/** What an issued token gives access to: decision 0005, and RFC 6750. */

const service = shareService();
const UNKNOWN_ID = '01900000-0000-7000-8000-000000000000';

async function devices(from: TestService, token: string): Promise<Json[]> {
  const answer = await from.get('/tokens', bearer(token));
  expect(answer.statusCode).toBe(200);
  return answer.json<{ data: Json[] }>().data;
}

async function page(from: TestService, token: string, query = '') {
  const answer = await from.get(`/tokens${query}`, bearer(token));
  const { data, next } = answer.json<{ data: Json[]; next: string | null }>();
  return { names: data.map((device) => device['device_name']), next };
}

async function ownId(token: string): Promise<string> {
  const own = (await devices(service(), token)).find((device) => device['current']);
  return String(own?.['id']);
}

describe('GET /user', () => {
  it('answers with the user of the token, the ten members, and whose token it is', async () => {
    const { token, user } = await login(service(), FAISAL);
    const read = dataOf(await service().get('/user', bearer(token)));
    expect(Object.keys(user)).toHaveLength(10);
    expect(read).toEqual({ ...user, client_id: 'simulator' });
  });

  it('says what the last login said', async () => {
    const { token } = await login(service(), KUSUMA);
    const started = await startRedirect(service(), 'ar');
    await approveInBrowser(service(), started, 'kusuma');
    expect(dataOf(await service().get('/user', bearer(token)))).toMatchObject({
      last_auth_method: 'oidc',
      preferred_locale: 'ar',
      name: 'كوسوما',
    });
  });
});

describe('the Authorization header', () => {
  it.each([
    ['the scheme as it is', (token: string) => `Bearer ${token}`],
    ['the scheme in small letters', (token: string) => `bearer ${token}`],
    ['the scheme in capitals', (token: string) => `BEARER ${token}`],
    ['blanks around the token', (token: string) => `Bearer   ${token}  `],
  ])('may have %s', async (_, header) => {
    const { token } = await login(service());
    const answer = await service().get('/user', { authorization: header(token) });
    expect(answer.statusCode).toBe(200);
  });

  it.each([
    ['is missing', () => ({})],
    ['is empty', () => ({ authorization: '' })],
    ['is the scheme alone', () => ({ authorization: 'Bearer' })],
    ['is the token alone', (token: string) => ({ authorization: token })],
    ['has another scheme', (token: string) => ({ authorization: `Basic ${token}` })],
    ['has the scheme twice', (token: string) => ({ authorization: `Bearer Bearer ${token}` })],
    ['has two tokens', (token: string) => ({ authorization: `Bearer ${token} ${token}` })],
    ['has a colon', (token: string) => ({ authorization: `Bearer: ${token}` })],
    ['is in a cookie', (token: string) => ({ cookie: `authorization=Bearer ${token}` })],
    ['is X-Authorization', (token: string) => ({ 'x-authorization': `Bearer ${token}` })],
  ])('gives no token when it %s: 401 that asks for one', async (_, headers) => {
    const { token } = await login(service());
    for (const path of ['/user', '/tokens']) {
      const answer = await service().get(path, headers(token));
      expectProblem(answer, 'token.missing');
      expect(answer.headers['www-authenticate']).toBe('Bearer');
    }
  });

  it('is the only place: a token in the address or the body is not read', async () => {
    const { token } = await login(service());
    for (const name of ['token', 'authorization', 'ACCESS_TOKEN']) {
      expectProblem(await service().get(`/user?${name}=${token}`), 'token.missing');
    }
  });

  // RFC 6750 section 3.1: a token in the header and another one in the address are refused.
  it('and access_token in the address exclude each other', async () => {
    const { token } = await login(service());
    const address = `?access_token=${token}`;
    const answers = [
      await service().get(`/user${address}`),
      await service().get(`/user${address}`, bearer(token)),
      await service().get('/tokens?access_token', bearer(token)),
      await service().remove(`/token${address}`, bearer(token)),
    ];
    for (const answer of answers) {
      expectProblem(answer, 'token.in_address');
      expect(answer.headers['www-authenticate']).toBe('Bearer error="invalid_request"');
    }
    expect((await service().get('/user', bearer(token))).statusCode).toBe(200);
  });

  it('with a token that is not good is 401 invalid_token', async () => {
    const { token } = await login(service());
    const flipped = token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    const wrong = [
      'x'.repeat(9),
      flipped,
      token.slice(0, -1),
      `${token}A`,
      token.toLowerCase(),
      token.replace('mft_test_', 'mft_'),
      token.replace('mft_test_', ''),
      `mft_test_${'A'.repeat(49)}`,
      'mfk_test_simulator',
      'ÿ'.repeat(58),
    ];
    for (const text of wrong) {
      const answer = await service().get('/user', bearer(text));
      expectProblem(answer, 'token.invalid');
      expect(answer.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
      expect(answer.payload).not.toContain(text.slice(9, 30) || text);
    }
    expect(parseApiToken('simulator', flipped), 'held by its checksum').toBeNull();
  });
});

describe('an API token', () => {
  it('is good until its expiry, not at it', async () => {
    const late = await openTestService();
    const { token } = await login(late);
    late.clock.advance(30 * DAY_MS - 1);
    expect((await late.get('/user', bearer(token))).statusCode).toBe(200);
    late.clock.advance(1);
    expectProblem(await late.get('/user', bearer(token)), 'token.invalid');
    expectProblem(await late.remove('/token', bearer(token)), 'token.invalid');
  });
});

describe('GET /tokens', () => {
  it('lists the devices of the person, newest first, with five members each', async () => {
    const alone = await openTestService();
    const { token } = await login(alone, FAISAL, { device_name: 'first' });
    alone.clock.advance(1000);
    await login(alone, KUSUMA, { device_name: 'somebody else' });
    alone.clock.advance(1000);
    await login(alone, FAISAL);
    const listed = await devices(alone, token);
    expect(listed).toEqual([
      {
        id: listed[0]?.['id'],
        device_name: null,
        created_at: '2026-01-31T09:00:02+00:00',
        expires_at: '2026-03-02T09:00:02+00:00',
        current: false,
      },
      {
        id: listed[1]?.['id'],
        device_name: 'first',
        created_at: '2026-01-31T09:00:00+00:00',
        expires_at: '2026-03-02T09:00:00+00:00',
        current: true,
      },
    ]);
    for (const { id } of listed) expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('leaves out what has expired or was revoked', async () => {
    const alone = await openTestService();
    await login(alone, FAISAL, { device_name: 'old' });
    alone.clock.advance(29 * DAY_MS);
    const { token } = await login(alone, FAISAL, { device_name: 'current' });
    const other = await login(alone, FAISAL, { device_name: 'revoked' });
    await alone.remove('/token', bearer(other.token));
    expect(await devices(alone, token)).toHaveLength(2);
    alone.clock.advance(DAY_MS);
    expect(await devices(alone, token)).toMatchObject([{ device_name: 'current' }]);
  });

  it('comes in pages, a hundred devices at most', async () => {
    const alone = await openTestService({ settings: { RATE_LIMITS: 'off' } });
    const names = Array.from({ length: 103 }, (_, index) => `device ${index}`);
    let token = '';
    for (const device_name of names) {
      ({ token } = await login(alone, FAISAL, { device_name }));
      alone.clock.advance(1);
    }
    const first = await page(alone, token);
    expect(first.names).toEqual(names.toReversed().slice(0, 100));
    const second = await page(alone, token, `?after=${first.next}&limit=2`);
    expect(second.names).toEqual(['device 2', 'device 1']);
    const third = await page(alone, token, `?limit=1&after=${second.next}`);
    expect(third).toEqual({ names: ['device 0'], next: null });
    expect(await page(alone, token, '?limit=100')).toEqual(first);
  });

  it.each(['limit=0', 'limit=101', 'limit=1e1', 'limit=', 'limit=1&limit=1', 'after=x', 'after='])(
    'refuses ?%s, once the token is good',
    async (query) => {
      const { token } = await login(service());
      const [name = ''] = query.split('=');
      const answer = await service().get(`/tokens?${query}`, bearer(token));
      expectProblem(answer, 'validation.failed');
      expect(answer.json()).toMatchObject({ violations: [{ pointer: `/${name}` }] });
      expectProblem(await service().get(`/tokens?${query}`), 'token.missing');
    },
  );

  it('shows no token', async () => {
    const { token } = await login(service());
    const answer = await service().get('/tokens', bearer(token));
    expect(answer.payload).not.toContain(token.slice(9, 40));
  });
});

describe('DELETE /token', () => {
  it('ends the token of the request at once, and no other', async () => {
    const [first, second] = [await login(service()), await login(service())];
    const answer = await service().remove('/token', bearer(first.token));
    expect([answer.statusCode, answer.payload]).toEqual([204, '']);
    expectProblem(await service().get('/user', bearer(first.token)), 'token.invalid');
    expectProblem(await service().remove('/token', bearer(first.token)), 'token.invalid');
    expect((await service().get('/user', bearer(second.token))).statusCode).toBe(200);
  });

  it('needs a token', async () => {
    expectProblem(await service().remove('/token'), 'token.missing');
  });

  it('ends it once, however many ask at the same time', async () => {
    const { token } = await login(service());
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => service().remove('/token', bearer(token))),
    );
    const done = answers.filter(({ statusCode }) => statusCode === 204);
    expect(done).toHaveLength(1);
    for (const { statusCode } of answers) expect([204, 401, 404]).toContain(statusCode);
  });
});

describe('DELETE /tokens/{token_id}', () => {
  it('ends a device of the person, the own one too', async () => {
    const [first, second] = [await login(service()), await login(service())];
    const answer = await service().remove(
      `/tokens/${await ownId(second.token)}`,
      bearer(first.token),
    );
    expect([answer.statusCode, answer.payload]).toEqual([204, '']);
    expectProblem(await service().get('/user', bearer(second.token)), 'token.invalid');
    const own = await ownId(first.token);
    expect((await service().remove(`/tokens/${own}`, bearer(first.token))).statusCode).toBe(204);
    expectProblem(await service().get('/user', bearer(first.token)), 'token.invalid');
  });

  it('is one and the same 404 for a foreign, an ended, an unknown and a malformed id', async () => {
    const [mine, foreign, ended] = [
      await login(service(), FAISAL),
      await login(service(), KUSUMA),
      await login(service(), FAISAL),
    ];
    const [foreignId, endedId, myId] = [
      await ownId(foreign.token),
      await ownId(ended.token),
      await ownId(mine.token),
    ];
    await service().remove('/token', bearer(ended.token));
    const seen = new Set<string>();
    for (const id of [foreignId, endedId, UNKNOWN_ID, `${myId}0`, 'x', '%00', "'"]) {
      const answer = await service().remove(`/tokens/${id}`, bearer(mine.token));
      expectProblem(answer, 'token.not_found');
      const { 'x-request-id': requestId, date, ...headers } = answer.headers;
      expect(date).toEqual(expect.any(String));
      seen.add(JSON.stringify([headers, answer.payload.replace(String(requestId), '')]));
    }
    expect(seen.size).toBe(1);
    expect((await service().get('/user', bearer(foreign.token))).statusCode).toBe(200);
    expect((await service().get('/user', bearer(mine.token))).statusCode).toBe(200);
  });

  it('needs a token before it looks', async () => {
    expectProblem(await service().remove(`/tokens/${UNKNOWN_ID}`), 'token.missing');
  });
});

const INTROSPECT = '/introspect';
const CLIENT_KEY = { authorization: 'Bearer mfk_test_simulator' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

const basic = (id: string, key: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${key}`).toString('base64')}`,
});

const introspectForm = (form: string, headers: Record<string, string> = CLIENT_KEY) =>
  service().request({
    method: 'POST',
    url: `/api/v1${INTROSPECT}`,
    headers: { ...headers, ...FORM },
    payload: form,
  });

describe('POST /introspect', () => {
  it('tells of a good token what RFC 7662 names, and nothing of the person', async () => {
    const { token, user } = await login(service(), FAISAL, { device_name: 'My phone' });
    const answer = await service().post(INTROSPECT, { token }, CLIENT_KEY);
    const iat = service().clock.now() / 1000;
    expect(answer.json()).toEqual({
      active: true,
      client_id: 'simulator',
      token_type: 'Bearer',
      sub: String(user.id),
      jti: await ownId(token),
      iat,
      exp: iat + (30 * DAY_MS) / 1000,
    });
    for (const word of [FAISAL, 'Faisal', 'national_id', 'My phone', token]) {
      expect(answer.payload).not.toContain(word);
    }
  });

  it('is told of a misspelt token first', async () => {
    const answer = await service().post(INTROSPECT, { tokn: 'x' }, CLIENT_KEY);
    const { detail } = expectProblem(answer, 'validation.failed');
    expect(detail).toBe(
      'The tokn field is not known here. Did you mean "token"? (and 1 more error)',
    );
  });

  it('takes a form as well, with the same answer', async () => {
    const { token } = await login(service());
    const byJson = await service().post(INTROSPECT, { token }, CLIENT_KEY);
    expect((await introspectForm(`token=${token}`)).payload).toBe(byJson.payload);
    const hinted = await introspectForm(`token=${token}&token_type_hint=refresh_token`);
    expect(hinted.payload).toBe(byJson.payload);
  });

  it('says active false and no more of every token that is not good', async () => {
    const { token } = await login(service());
    await service().remove('/token', bearer(token));
    const { attempt_token } = await startRedirect(service());
    const asked = [
      token,
      attempt_token,
      'x',
      '',
      `mft_test_${'A'.repeat(49)}`,
      'mfk_test_simulator',
    ];
    for (const text of asked) {
      const answer = await service().post(INTROSPECT, { token: text }, CLIENT_KEY);
      expect([answer.statusCode, answer.payload]).toEqual([200, '{"active":false}']);
    }
    expect((await introspectForm('token=')).payload).toBe('{"active":false}');
  });

  it('says so of a token that has expired', async () => {
    const late = await openTestService();
    const { token } = await login(late);
    late.clock.advance(30 * DAY_MS);
    const answer = await late.post(INTROSPECT, { token }, CLIENT_KEY);
    expect(answer.json()).toEqual({ active: false });
  });

  it('needs a client key: an API token is none', async () => {
    const { token } = await login(service());
    const keys = [
      {},
      { authorization: 'mfk_test_simulator' },
      bearer('mfk_test_simulatoR'),
      bearer('mfk_test_'),
      bearer(token),
      { 'x-api-key': 'mfk_test_simulator' },
    ];
    for (const headers of keys) {
      const answers = [
        await service().post(INTROSPECT, { token }, headers),
        await introspectForm(`token=${token}`, headers),
        await service().post(INTROSPECT, {}, headers),
      ];
      for (const answer of answers) {
        expectProblem(answer, 'client.unauthenticated');
        expect(answer.headers['www-authenticate']).toBe('Bearer');
      }
    }
  });

  it('takes the id and key of a client by Basic too, as forms encode them', async () => {
    const { token } = await login(service());
    for (const [id, key] of [
      ['simulator', 'mfk_test_simulator'],
      ['%73imulator', 'mfk%5Ftest%5fsimulator'],
    ] as const) {
      const answer = await introspectForm(`token=${token}`, basic(id, key));
      expect(answer.json()).toMatchObject({ active: true, client_id: 'simulator' });
    }
  });

  it('refuses every other Basic by a Basic challenge, and keeps it out of the log', async () => {
    const { token } = await login(service());
    const lines = service().logLines.length;
    const wrong = [
      basic('simulator', token),
      basic('', 'mfk_test_simulator'),
      basic('another', 'mfk_test_simulator'),
      basic('simulator', 'mfk_test_simulatoR'),
      basic('simulator', ''),
      basic('simulator', 'mfk_test_simulator%'),
      basic('simulator', 'mfk_test_simulator:'),
      basic('mfk_test_simulator', ''),
      { authorization: `Basic ${Buffer.from('simulator').toString('base64')}` },
      { authorization: 'Basic simulator:mfk_test_simulator' },
      { authorization: 'Basic' },
    ];
    for (const headers of wrong) {
      const answer = await service().post(INTROSPECT, { token }, headers);
      expectProblem(answer, 'client.unauthenticated');
      const challenge = 'Basic realm="introspection", charset="UTF-8"';
      expect(answer.headers['www-authenticate'], headers.authorization).toBe(challenge);
    }
    const log = service().logLines.slice(lines).join('');
    for (const { authorization } of wrong) {
      const [, sent = ''] = authorization.split(' ');
      if (sent !== '') expect(log).not.toContain(sent);
    }
  });

  it.each([
    ['token=a&token=b', 'token'],
    ['token=a&unknown=b', 'unknown'],
    ['token[]=a', 'token'],
    ['', 'token'],
    ['token=a&__proto__=b', '__proto__'],
  ])('holds a form to the schema: %j', async (form, name) => {
    const { errors } = expectProblem(await introspectForm(form), 'validation.failed');
    expect(Object.keys(errors ?? {})[0]).toBe(name);
  });

  it('takes no client key on the operations of a person, and says that it is one', async () => {
    const asked = [
      ...['/user', '/tokens'].map((path) => service().get(path, CLIENT_KEY)),
      ...['/token', '/tokens/x'].map((path) => service().remove(path, CLIENT_KEY)),
    ];
    for (const answer of await Promise.all(asked)) {
      const { detail, remedy } = expectProblem(answer, 'token.invalid') as Record<string, unknown>;
      expect(detail).toMatch(/^The Authorization header has a client key;/);
      expect(remedy).toContain('send the token of POST /token/{attempt_id}');
    }
    const other = expectProblem(await service().get('/user', bearer('mft_x')), 'token.invalid');
    expect(other['detail']).toBe('The API token is unknown, has expired or was revoked.');
  });
});

describe('one kind of secret is no other kind', () => {
  it('holds in every direction', async () => {
    const started = await startRedirect(service());
    const { attempt_id, attempt_token } = started;
    const completion_code = await approveInBrowser(service(), started);
    const { token } = await login(service());

    for (const text of [attempt_token, completion_code]) {
      expectProblem(await service().get('/user', bearer(text)), 'token.invalid');
      const introspection = await service().post(INTROSPECT, { token: text }, CLIENT_KEY);
      expect(introspection.json()).toEqual({ active: false });
    }
    for (const text of [token, completion_code, 'mfk_test_simulator']) {
      const pair = { attempt_id, attempt_token: text };
      expectProblem(await readStatus(service(), pair), 'attempt.not_found');
      expectProblem(await redeem(service(), pair), 'attempt.not_found');
    }
    for (const text of [attempt_token, token]) {
      const answer = await redeem(service(), started, { completion_code: text });
      expectProblem(answer, 'attempt.completion_required');
    }
    expect((await redeem(service(), started, { completion_code })).statusCode).toBe(200);
  });

  it('holds for attempts among themselves', async () => {
    const [one, other] = [await startCompleted(service()), await startCompleted(service())];
    const crossed = { attempt_id: one.attempt_id, attempt_token: other.attempt_token };
    expectProblem(await redeem(service(), crossed), 'attempt.not_found');
    expect(issuedOf(await redeem(service(), one)).token_type).toBe('Bearer');
  });
});
