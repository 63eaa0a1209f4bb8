import { describe, expect, it } from 'vitest';
import type { Entry, Exchange } from '../entry.ts';
import { maskEntries } from './mask.ts';
import { readable } from '../readable.ts';

const ATTEMPT = '0199a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b';
const KNOWN = '1000001101';
const isKnown = (number: string) => number === KNOWN;
const SECRET = 'a-secret-of-the-attempt';

type Given = Partial<Omit<Exchange, 'request' | 'response'>> & {
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  readonly answer?: unknown;
};

function entryOf({ headers = {}, body = null, answer = null, path = '/', ...more }: Given): Entry {
  const exchange = {
    method: 'POST',
    path,
    status: 200,
    durationMs: 1,
    ...more,
    request: { headers, body },
    response: { headers: {}, body: answer },
  };
  return { at: 0, side: 'area_a', name: 'startAttempt', exchange, act: null };
}

const maskAll = (...all: readonly Given[]) => {
  const entries = all.map((given, index) => ({
    number: index + 1,
    entry: readable(entryOf(given)),
  }));
  return maskEntries(entries, ATTEMPT, isKnown).map(({ entry }) => entry.exchange);
};

const masked = (given: Given) => maskAll(given)[0];

/** Each byte as an escape, and the signs of those as escapes again, so many times. */
function encoded(text: string, times: number): string {
  const once = Buffer.from(text).toString('hex').replaceAll(/../g, '%$&');
  return once.replaceAll('%', `%${'25'.repeat(times - 1)}`);
}

/** What somebody sees who decodes it to its end. */
function toTheEnd(text: string): string {
  const plain = decodeURIComponent(text);
  return plain === text ? text : toTheEnd(plain);
}

describe('a secret', () => {
  it.each([
    'attempt_token',
    'attemptToken',
    'completion_code',
    'state',
    'token',
    'id_token',
    'id_token_hint',
    'access_token',
    'auth_req_id',
    'client_assertion',
    'client_notification_token',
    'code_verifier',
    'request_uri',
    'nonce',
    'client_secret',
  ])('is masked in a member %s, at any depth, parsed or not', (name) => {
    const body = { data: [{ [name]: SECRET, other: 'kept' }] };
    const wanted = { data: [{ [name]: '[masked]', other: 'kept' }] };
    expect(masked({ body })?.request.body).toEqual(wanted);
    expect(masked({ answer: JSON.stringify(body) })?.response.body).toEqual(wanted);
  });

  it.each([
    ['authorization', `Bearer ${SECRET}`, 'Bearer [masked]'],
    ['authorization', SECRET, '[masked]'],
    ['cookie', `a=${SECRET}`, '[masked]'],
    ['set-cookie', `a=${SECRET}; Path=/`, '[masked]'],
    ['app-key', SECRET, '[masked]'],
    ['app_key', SECRET, '[masked]'],
    ['x-provider-attempt-token', SECRET, '[masked]'],
    ['location', `https://a.example.test/?attempt_id=${ATTEMPT}&completion_code=${SECRET}`, null],
    ['refresh', `0;url=https://a.test/?attempt_id=${ATTEMPT}&completion_code=${SECRET}`, null],
  ])('is masked in the header %s', (name, value, wanted) => {
    const headers = masked({ headers: { [name]: value } })?.request.headers ?? {};
    expect(JSON.stringify(headers)).not.toContain(SECRET);
    if (wanted !== null) expect(headers[name]).toBe(wanted);
    else expect(headers[name]).toContain(`attempt_id=${ATTEMPT}&completion_code=[masked]`);
  });

  it('is masked in a path, in a fragment, and in an address inside of an address', () => {
    const inner = encodeURIComponent(`https://a.example.test/?state=${SECRET}#token=${SECRET}`);
    const path = `/callback?state=${SECRET}&code=${SECRET}&next=${inner}&locale=ar`;
    expect(masked({ path })?.path).toBe(
      '/callback?state=[masked]&code=[masked]&next=https://a.example.test/?state=[masked]#token=[masked]&locale=ar',
    );
  });

  it('is looked for in an address that is encoded thousands of times, and the rest is shown', () => {
    const times = 12_000;
    const path = `/${'?a='.repeat(times)}%${'25'.repeat(times)}41`;
    expect(masked({ path })?.path).toContain('?a=?a=');
    expect(masked({ body: { text: path.repeat(5) } })).toBeDefined();
  });

  const OFTEN = [1, 2, 3, 4, 7, 8, 40];

  it.each(OFTEN)('is masked in an address that is encoded %i times', (times) => {
    const inner = encoded(`https://a.example.test/?a=1&state=${SECRET}#token=short`, times);
    const found = masked({ path: `/callback?next=${inner}&locale=ar`, body: { text: inner } });
    expect(toTheEnd(JSON.stringify(found))).not.toMatch(/a-secret|short/);
    expect(found?.path).toMatch(/^\/callback\?next=.*\[masked\].*&locale=ar$/);
  });

  it.each(OFTEN)('is masked behind a name that is encoded %i times', (times) => {
    const path = `/callback?${encoded('state', times)}=short&locale=ar`;
    expect(masked({ path })?.path).toMatch(/=\[masked\]&locale=ar$/);
  });

  it.each(OFTEN)('is masked everywhere when its address is encoded %i times', (times) => {
    const secret = 'with&a=sign/of/addresses';
    const inner = encoded(`/?state=${encodeURIComponent(secret)}`, times);
    const found = maskAll(
      { path: `/x?next=${inner}` },
      { body: { text: secret, again: encodeURIComponent(secret), often: encoded(secret, times) } },
    );
    const seen = toTheEnd(JSON.stringify(found));
    // What is encoded more often than anybody needs is not read: it is masked as a whole.
    if (times < 7) expect(seen).not.toContain('of/addresses');
    else expect(found[0]?.path).toBe('/x?next=[masked]');
  });

  it('is masked in an address that stands in another one as it is', () => {
    const path = '/callback?next=/a?state=short&b=/c?a=?token=short';
    expect(masked({ path })?.path).toBe('/callback?next=/a?state=[masked]&b=/c?a=?token=[masked]');
  });

  it('is masked in a form', () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = `state=${SECRET}&decision=approve`;
    expect(masked({ headers, body })?.request.body).toEqual({
      state: '[masked]',
      decision: 'approve',
    });
  });

  it('is masked in a page with all of the page', () => {
    const answer = `<!doctype html><input name="x" value="${SECRET}">`;
    expect(masked({ answer })?.response.body).toBe(`[page, ${answer.length} characters]`);
  });

  it('is masked in every text of the attempt when one of its entries names it', () => {
    const body = { detail: `not ${SECRET}.`, list: [SECRET], [SECRET]: 1 };
    const found = maskAll(
      { path: `/tokens/${SECRET}`, body, headers: { referer: `https://a/${SECRET}` } },
      { answer: { data: { attempt_token: SECRET } } },
    );
    expect(JSON.stringify(found)).not.toContain(SECRET);
    expect(found[0]?.path).toBe('/tokens/[masked]');
  });

  it('is masked in a text of JSON that writes it with escapes', () => {
    const claims = `{"tok\\u0065n":"a-s\\u0065cret","other":"kept"}`;
    const wanted = '{"token":"[masked]","other":"kept"}';
    expect(masked({ body: { claims } })?.request.body).toEqual({ claims: wanted });
    const tail = { body: { claims: `{"token":"a\\u002dsecret"}` } };
    expect(masked(tail)?.request.body).toEqual({ claims: '{"token":"[masked]"}' });
  });

  it('is masked in JSON that was cut off', () => {
    const answer = `{"data":{"attempt_token":"${SECRET}`;
    expect(masked({ answer })?.response.body).toBe('{"data":{"attempt_token":"[masked]');
  });

  it.each([
    'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
    'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0',
    'mft_test_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRS',
  ])('%s is masked by its form, wherever it stands', (token) => {
    expect(masked({ body: { note: `it is ${token}!` } })?.request.body).toEqual({
      note: 'it is [masked]!',
    });
  });

  const RUN = 'Zm9vYmFyYmF6cXV4MDEyMzQ1Njc4OWFiY2RlZi1f_Zw';
  const BASE64 = Buffer.from(Array.from({ length: 60 }, (_, byte) => byte * 4)).toString('base64');
  const HEX = '0123456789abcdef'.repeat(4);

  it.each([RUN, BASE64, HEX, 'mfk_shop_1', 'MFT_TEST_0123456789', 'mfk_test_simulator'])(
    'of another attempt is masked by its form in every text: %s',
    (token) => {
      const found = masked({
        path: `/x/${token}?key=${token}&a=${encodeURIComponent(token)}`,
        headers: {
          'user-agent': `app/1 (${token})`,
          referer: `https://a.example.test/${token}`,
          'idempotency-key': token,
          'last-event-id': token,
          'x-simulate': token,
        },
        body: { device_name: token, code: token, completion: token, key: token, [token]: 1 },
        answer: `no JSON: ${token}`,
      });
      expect(JSON.stringify(found)).not.toContain(token);
      expect(decodeURIComponent(found?.path ?? '')).not.toContain(token);
      expect(found?.request.headers['user-agent']).toBe('app/1 ([masked])');
    },
  );

  it.each(['%31', '%2531'])('is found in an address behind escapes: %s', (one) => {
    const token = RUN.replaceAll('1', one);
    const path = `/x?a=${token}&%73tate=${SECRET}&b=%zz.${token}`;
    expect(masked({ path })?.path).toMatch(
      /^\/x\?a=\[masked\]&%73tate=\[masked\]&b=%zz\.\[masked\]$/,
    );
  });

  it('is not what is shorter: an id, a path, a version', () => {
    const path = `/stg/api/v1/mfa/request/status/and/some/more/of/it?requestId=${ATTEMPT}`;
    const agent = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Chrome/131.0.6778.85';
    const headers = {
      'user-agent': agent,
      'x-request-id': ATTEMPT,
      referer: 'http://192.168.10.20/',
    };
    const body = { at: '2026-01-31 09:05:00', later: '2026-01-31T09:05:00.000Z', caf: 'caf\u00e9' };
    expect(masked({ path, headers, body })).toMatchObject({ path, request: { headers, body } });
  });

  it('is masked by its name when it is short, or no text', () => {
    const body = { token: 'abc', state: 123, secret: { deep: 'x' }, nonce: ['y'] };
    const hidden = { token: '[masked]', state: '[masked]', secret: '[masked]', nonce: '[masked]' };
    expect(masked({ body })?.request.body).toEqual(hidden);
  });

  it('is the value of a cookie, and not its path', () => {
    const path = '/sign-in/somewhere';
    const headers = { 'set-cookie': `id=${SECRET}; Path=${path}; SameSite=Lax` };
    const seen = masked({ path: `${path}/${SECRET}`, headers });
    expect(seen?.path).toBe(`${path}/[masked]`);
  });

  it('that is missing is seen to be missing', () => {
    const body = { attempt_token: '', completion_code: null, token: false };
    expect(masked({ body })?.request.body).toEqual(body);
  });

  it('is not the id of the attempt, which is the state of some pages', () => {
    const path = `/callback?state=${ATTEMPT}`;
    const found = masked({ path, body: { state: ATTEMPT }, answer: { attempt_id: ATTEMPT } });
    expect(found).toMatchObject({ path, request: { body: { state: ATTEMPT } } });
    expect(found?.response.body).toEqual({ attempt_id: ATTEMPT });
  });

  it('is masked in what is too deep to be read', () => {
    const deep = `${'{"a":'.repeat(5000)}{"b":"${SECRET}"}${'}'.repeat(5000)}`;
    expect(JSON.stringify(masked({ answer: deep }))).not.toContain(SECRET);
  });
});

describe('an identity number', () => {
  it('of an invented person is shown', () => {
    const body = { national_id: KNOWN, text: `for ${KNOWN}` };
    expect(masked({ body, path: `/x?national_id=${KNOWN}` })).toMatchObject({
      path: `/x?national_id=${KNOWN}`,
      request: { body },
    });
  });

  it.each([
    ['1098765401', '1•••••••01'],
    ['١٠٩٨٧٦٥٤٠١', '١•••••••٠١'],
    ['A1234567', 'A•••••67'],
    ['12', '••'],
  ])('%s of anybody else is masked in a member that has it', (number, wanted) => {
    expect(masked({ body: { national_id: number } })?.request.body).toEqual({
      national_id: wanted,
    });
  });

  it.each(['1098765401', '١٠٩٨٧٦٥٤٠١', '۱۰۹۸۷۶۵۴۰۱'])('%s is masked in every text', (number) => {
    const found = masked({
      path: `/users/${number}?a=${encodeURIComponent(number)}`,
      headers: { referer: `https://a.example.test/${number}`, 'user-agent': number },
      body: { text: `(${number})`, [number]: 1, list: [number] },
      answer: `no JSON, ${number}`,
    });
    expect(JSON.stringify(found)).not.toContain(number);
    expect(decodeURIComponent(found?.path ?? '')).not.toContain(number);
  });

  it.each([
    '/?%31098765401',
    '/?a=%2531098765401',
    '/?%D9%A1%D9%A0%D9%A9%D9%A8%D9%A7%D9%A6%D9%A5%D9%A4%D9%A0%D9%A1',
    '/n1098765401',
    '/?1098765401x',
    '/?a=109-876-5401',
    '/?a=109+876%205401',
    '/?a=1-0-9-8-7-6-5-4-0-1',
    '/?a=%zz%31098765401',
  ])('is masked however it is written: %s', (path) => {
    const headers = { 'user-agent': path };
    const found = masked({ path, headers, body: { text: path, [path]: 1 } });
    const digits = decodeURIComponent(JSON.stringify(found).replaceAll('%zz', ''))
      .normalize('NFKC')
      .replaceAll(/[\u0660-\u0669]/g, (digit) => String(digit.charCodeAt(0) - 0x660))
      .replaceAll(/[-+ ]/g, '');
    expect(digits).toContain('•');
    expect(digits).not.toContain('98765');
  });

  it.each([1, 2, 3, 4, 7, 8, 40])('is masked when it is encoded %i times', (times) => {
    for (const number of ['1098765401', '١٠٩٨٧٦٥٤٠١']) {
      const text = `/x?a=${encoded(number, times)}`;
      const found = masked({ path: text, headers: { 'user-agent': text }, body: { text } });
      expect(toTheEnd(JSON.stringify(found))).not.toContain(number);
    }
  });

  it.each(['\\u0031', '\\\\u0031', '\\u005cu0031', '\\u005Cu005cu0031', '\\u0661'])(
    'is masked in a parameter of JSON that writes a digit as %s',
    (digit) => {
      const claims = `{"userinfo":{"national\\u005fid":{"value":"${digit}098765401"}}}`;
      const found = masked({ body: { claims }, path: `/a?claims=${encodeURIComponent(claims)}` });
      const shown = /"national_id":\{"value":"\S•{7}01"\}/;
      expect(found?.request.body).toEqual({ claims: expect.stringMatching(shown) as unknown });
      expect(found?.path).toMatch(shown);
    },
  );

  it('of an invented person is shown however it is written, and other escapes stay', () => {
    const claims = `{"sub":{"value":"\\u0031000001101"},"name":"\\u0041"}`;
    expect(masked({ body: { claims } })?.request.body).toEqual({ claims });
  });

  it('is looked for in JSON of nothing but escapes, which has an end', () => {
    const claims = `\\${'u005c'.repeat(50_000)}u0031098765401`;
    expect(JSON.stringify(masked({ body: { claims } }))).not.toContain('098765401');
  });

  it('of an invented person is shown however often it is encoded', () => {
    const path = `/x?a=${encoded(KNOWN, 3)}`;
    expect(masked({ path })?.path).toBe(path);
  });

  it('is masked in the bytes of a header', () => {
    const number = Buffer.from('١٠٩٨٧٦٥٤٠١').toString('latin1');
    const found = masked({ headers: { 'user-agent': `caf\u00e9 ${number}` } });
    expect(found?.request.headers['user-agent']).toContain('١•••••••٠١');
  });

  it('is masked in its member as a number of any length, parsed or cut off', () => {
    const body = { national_id: 10_987_654_321, sub: 12 };
    expect(masked({ body })?.request.body).toEqual({ national_id: '1••••••••21', sub: '••' });
    const answer = '{"national_id":10987654321,"a":"';
    expect(masked({ answer })?.response.body).toBe('{"national_id":1••••••••21,"a":"');
    const known = { national_id: Number(KNOWN) };
    expect(masked({ body: known })?.request.body).toEqual(known);
  });

  it('is masked as a number, and a time is not', () => {
    const body = { id: 1_098_765_401, exp: 1_798_765_401, count: 3 };
    expect(masked({ body })?.request.body).toEqual({
      id: '1•••••••01',
      exp: 1_798_765_401,
      count: 3,
    });
  });

  it('is no part of a longer number, or of an id', () => {
    const body = { trans: ATTEMPT, ms: '1769850000000', sub: ATTEMPT };
    expect(masked({ body })?.request.body).toEqual(body);
  });
});
