import { describe, expect, it } from 'vitest';
import { BODY_LIMITS } from '@miftah/contract';
import {
  bearer,
  expectProblem,
  login,
  redeem,
  startCompleted,
  startRedirect,
  statusOf,
  type Json,
} from '../support/service/login.ts';
import { sendRaw } from '../support/service/raw-request.ts';
import { BASE, shareService, type Answer } from '../support/service/test-service.ts';

const service = shareService();
const JSON_TYPE = 'application/json';

function send(
  path: string,
  payload: string | Buffer,
  type: string = JSON_TYPE,
  more: Record<string, string> = {},
): Promise<Answer> {
  const headers = { ...more, 'content-type': type };
  return service().request({ method: 'POST', url: BASE + path, headers, payload });
}

/** The operations that accept a body. */
const TAKING_BODIES = ['/start', '/callback', '/complete-mfa', '/token/x', '/introspect'];
const KEY = { authorization: 'Bearer mfk_test_simulator' };

async function sendText(path: string, headers: Record<string, string> = {}) {
  const answer = await send(path, 'x', 'text/plain', headers);
  return expectProblem(answer, 'request.unsupported_media_type');
}

const padded = (bytes: number) => '{"locale":"ar"}'.padEnd(bytes, ' ');

it('may begin with one byte order mark', async () => {
  const mark = '\ufeff';
  expect((await send('/start', `${mark}{"locale":"ar"}`)).statusCode).toBe(200);
  for (const json of [`${mark}${mark}{"locale":"ar"}`, `{"locale":"ar"}${mark}`, mark]) {
    expectProblem(await send('/start', json), 'request.malformed_json');
  }
});

describe('the size of a body', () => {
  it('may be 16 KiB', async () => {
    expect((await send('/start', padded(BODY_LIMITS.bytes))).statusCode).toBe(200);
    expect(BODY_LIMITS.bytes).toBe(16_384);
  });

  it.each(TAKING_BODIES)('may not be a byte more at %s', async (path) => {
    expectProblem(await send(path, padded(BODY_LIMITS.bytes + 1)), 'request.too_large');
  });

  it('is limited too where it is not announced', async () => {
    const piece = ' '.repeat(0x1000);
    const chunks = Array.from({ length: 5 }, () => `1000\r\n${piece}\r\n`).join('');
    const head = `POST ${BASE}/start HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${JSON_TYPE}`;
    const answer = await sendRaw(
      service(),
      `${head}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunks}0\r\n\r\n`,
    );
    expect(answer.status).toBe(413);
  });
});

const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
const members = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1])));

describe('the shape of a body', () => {
  it('may be eight levels deep, not nine', async () => {
    expectProblem(await send('/start', nested(8)), 'validation.failed');
    const { detail } = expectProblem(await send('/start', nested(9)), 'request.too_complex');
    expect(detail).toMatch(/ It has more than 8 levels\.$/);
  });

  it('may have 32 members in all, not 33', async () => {
    expectProblem(await send('/start', members(32)), 'validation.failed');
    const { detail } = expectProblem(await send('/start', members(33)), 'request.too_complex');
    expect(detail).toMatch(/ It has more than 32 members, with the entries of its lists\.$/);
  });

  it('counts the members of all levels, and the entries of lists', async () => {
    const wide = { a: { b: Array.from({ length: 31 }, () => 1) } };
    expectProblem(await send('/start', JSON.stringify(wide)), 'request.too_complex');
  });

  it.each([
    ['brackets', '['.repeat(16_000)],
    ['closed brackets', `${'['.repeat(8000)}${']'.repeat(8000)}`],
    ['objects', `${'{"a":'.repeat(2700)}1${'}'.repeat(2700)}`],
    ['integer members', `{${Array.from({ length: 1500 }, (_, at) => `"${at}":1`).join(',')}}`],
  ])('with thousands of %s is refused and nothing worse', async (_, payload) => {
    const answer = await send('/start', payload);
    expect(answer.statusCode).toBe(400);
  });
});

const fields = (count: number) => Array.from({ length: count }, (_, at) => `k${at}=1`).join('&');

describe('the shape of a form', () => {
  const form = 'application/x-www-form-urlencoded';
  const sendForm = (path: string, payload: string) =>
    service().request({
      method: 'POST',
      url: BASE + path,
      headers: { 'content-type': form, ...KEY },
      payload,
    });

  it('may have 32 members as well, not 33', async () => {
    expectProblem(await sendForm('/introspect', fields(32)), 'validation.failed');
    const { detail } = expectProblem(
      await sendForm('/introspect', fields(33)),
      'request.too_complex',
    );
    expect(detail).toMatch(/ It has more than 32 members, /);
    expect((await sendForm('/callback/sign-in', fields(32))).statusCode).toBe(422);
    expect((await sendForm('/callback/sign-in', fields(33))).statusCode).toBe(400);
  });

  it.each(['a&'.repeat(8000), '&'.repeat(16_000), 'a=1&'.repeat(33)])(
    'counts members that are empty, or the same',
    async (payload) => {
      expectProblem(await sendForm('/introspect', payload), 'request.too_complex');
    },
  );
});

describe('a body that is not JSON', () => {
  it.each([
    '',
    ' ',
    '{',
    '}',
    '{"locale":"ar"',
    '{"locale":"ar",}',
    "{'locale':'ar'}",
    '{locale:"ar"}',
    '{"locale":"ar"} {}',
    '{"locale":undefined}',
    '{"locale":NaN}',
    '{"locale":"a\nr"}',
    '{"locale":01}',
    '/* */{"locale":"ar"}',
    'locale=ar',
    '<locale>ar</locale>',
  ])('is told so: %j', async (payload) => {
    for (const path of ['/start', '/callback', '/complete-mfa', '/token/x']) {
      const problem = expectProblem(await send(path, payload), 'request.malformed_json');
      expect(problem.message).toBe('The request body is not valid JSON.');
    }
  });

  it('is not repeated in the answer', async () => {
    const answer = await send('/token/x', '{"attempt_token":"a-secret-of-mine",');
    expect(answer.payload).not.toContain('a-secret');
  });

  it.each([
    ['a stray byte', [0x22, 0xff, 0x22]],
    ['half a character', [0x22, 0xd9, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['a surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
  ])('is %s instead of UTF-8', async (_, bytes) => {
    const started = await startCompleted(service());
    const { attempt_id, attempt_token } = started;
    const before = `{"attempt_token":"${attempt_token}","device_name":`;
    const payload = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from('}')]);
    expectProblem(await send(`/token/${attempt_id}`, payload), 'request.malformed_json');
    expect((await redeem(service(), started)).statusCode).toBe(200);
  });

  it('is JSON in UTF-16', async () => {
    const payload = Buffer.from('{"locale":"ar"}', 'utf16le');
    expectProblem(
      await send('/start', payload, 'application/json;charset=utf-16'),
      'request.malformed_json',
    );
  });
});

describe('JSON that is not an object', () => {
  it.each(['null', 'true', '0', '1e999', '"x"', '[]', '[{"locale":"ar"}]'])(
    'is refused as a whole: %s',
    async (payload) => {
      for (const path of ['/start', '/callback', '/complete-mfa', '/token/x']) {
        const problem = expectProblem(await send(path, payload), 'validation.failed');
        expect(problem.errors).toEqual({ body: ['The request body must be a JSON object.'] });
        expect(problem.violations).toEqual([{ pointer: '', code: 'object' }]);
      }
    },
  );

  it('is refused as well when there is no body and no type at all', async () => {
    const answer = await service().request({ method: 'POST', url: `${BASE}/start` });
    expectProblem(answer, 'validation.failed');
  });
});

describe('the media type', () => {
  it.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json;charset=utf-8',
    'application/json ; charset="UTF-8"',
    'application/json;',
    'application/json\t;a',
  ])('may be %j, and the body is then held to the schema', async (type) => {
    expect((await send('/start', '{"locale":"ar"}', type)).statusCode).toBe(200);
    expectProblem(await send('/start', '{"locale":"ar","a":1}', type), 'validation.failed');
  });

  it.each([
    '',
    'a',
    'application',
    '/json',
    '*/*',
    'text/plain',
    'text/json',
    'text/plain;application/json',
    'application/jsonx',
    'application/json5',
    'application/x-json',
    'application/problem+json',
    'application/vnd.api+json',
    'application/json, text/plain',
    'application/json text/plain',
    'application / json',
    '"application/json"',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'application/xml',
  ])('may not be %j', async (type) => {
    for (const path of ['/start', '/callback', '/complete-mfa', '/token/x']) {
      expectProblem(await send(path, '{"locale":"ar"}', type), 'request.unsupported_media_type');
    }
  });

  it('is answered with the types that the operation reads', async () => {
    expect((await sendText('/start'))['detail']).toMatch(/ Send application\/json\.$/);
    expect((await sendText('/introspect', KEY))['detail']).toMatch(
      / Send application\/json or application\/x-www-form-urlencoded\.$/,
    );
  });

  it.each([
    [
      'en',
      'application/x-www-form-urlencoded; charset=x',
      /as application\/x-www-form-urlencoded, as curl -d/,
    ],
    [
      'ar',
      'APPLICATION/X-WWW-FORM-URLENCODED',
      /بالنوع application\/x-www-form-urlencoded، كما يفعل curl/,
    ],
    ['en', 'text/plain;charset=UTF-8', /supported\. It was sent as text\/plain\. Send/],
    ['en', 'secret/value', /supported\. Send/],
    ['en', '', /supported\. This request has no Content-Type\. Send/],
  ])(
    'is answered in %s with the type that a client sends by itself: %j',
    async (locale, type, said) => {
      const answer = await send('/start', '{}', type, { 'accept-language': locale });
      const problem = expectProblem(answer, 'request.unsupported_media_type');
      expect(problem['detail']).toMatch(said);
    },
  );

  it.each(['gzip', 'br', 'deflate', 'zstd', 'x-gzip', 'gzip, identity', 'aws-chunked'])(
    'is not looked at where the body is encoded as %s',
    async (encoding) => {
      for (const path of TAKING_BODIES) {
        const answer = await send(path, '{}', JSON_TYPE, { ...KEY, 'content-encoding': encoding });
        const problem = expectProblem(answer, 'request.unsupported_media_type');
        expect(problem['detail']).toContain('Content-Encoding');
      }
    },
  );

  it('is refused so in the routes of the simulator too', async () => {
    const headers = { 'content-encoding': 'gzip', 'content-type': JSON_TYPE };
    for (const url of ['/simulator/reset', '/stg/api/v1/mfa/request?local=ar&requestId=x']) {
      const answer = await service().request({ method: 'POST', url, headers, payload: '{}' });
      expect(answer.statusCode, url).toBe(415);
    }
    const { statusCode } = await service().request({
      method: 'GET',
      url: '/simulator/people',
      headers,
    });
    expect(statusCode).toBe(200);
  });

  it.each(['identity', 'Identity', ''])('counts where the encoding is %j', async (encoding) => {
    const named = { 'content-encoding': encoding };
    expect((await send('/start', '{"locale":"ar"}', JSON_TYPE, named)).statusCode).toBe(200);
  });

  it('is no way around the closed members by a form', async () => {
    const form = 'application/x-www-form-urlencoded';
    expectProblem(await send('/start', 'locale=ar', form), 'request.unsupported_media_type');
  });

  it('does not matter to a DELETE that has no body', async () => {
    const { token } = await login(service());
    const headers = { 'content-type': JSON_TYPE, ...bearer(token) };
    expect((await service().remove('/token', headers)).statusCode).toBe(204);
  });
});

describe('a member', () => {
  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', ''])(
    'called %j is unknown like any other, and changes nothing',
    async (name) => {
      const body = `{"locale":"en",${JSON.stringify(name)}:{"polluted":1,"locale":"ar"}}`;
      const { errors } = expectProblem(await send('/start', body), 'validation.failed');
      expect(Object.keys(errors ?? {})).toEqual([name]);
      expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
      expect((await startRedirect(service())).attempt_id).toEqual(expect.any(String));
    },
  );

  it('given twice counts as it was given last, for the check and the use alike', async () => {
    expectProblem(await send('/start', '{"locale":"ar","locale":"fr"}'), 'validation.failed');
    expect((await send('/start', '{"locale":"fr","locale":"ar"}')).statusCode).toBe(200);
  });

  it('is never left out in silence: a bad phone start is no redirect start', async () => {
    const body = { national_id: 'not a number', locale: 'ar' };
    expectProblem(await service().post('/start', body), 'validation.failed');
  });

  it.each<[string, Json]>([
    ['/callback', { state: 'x', auto_complete: true }],
    ['/complete-mfa', { attempt_id: 'x' }],
    ['/token/x', { attempt_token: 'x' }],
    ['/introspect', { token: 'x' }],
  ])('that %s does not know is refused by name', async (path, body) => {
    const answer = await service().post(path, { ...body, status: 'authenticated' }, KEY);
    const { errors } = expectProblem(answer, 'validation.failed');
    expect(JSON.stringify(errors)).toMatch(
      /^\{"status":\["The status field is not known here: known are [a-z_, ]+\."\]\}$/,
    );
  });

  it.each<[string, Json, readonly string[]]>([
    ['/callback', {}, ['state', 'auto_complete']],
    ['/callback', { state: 1, auto_complete: 'true' }, ['state', 'auto_complete']],
    ['/callback', { state: null, auto_complete: 1 }, ['state', 'auto_complete']],
    ['/complete-mfa', {}, ['attempt_id']],
    ['/complete-mfa', { attempt_id: ['x'] }, ['attempt_id']],
    ['/token/x', {}, ['attempt_token']],
    ['/token/x', { attempt_token: {} }, ['attempt_token']],
    ['/token/x', { attempt_token: 'x', device_name: null }, ['device_name']],
    ['/token/x', { attempt_token: 'x', completion_code: 5 }, ['completion_code']],
    ['/introspect', {}, ['token']],
    ['/introspect', { token: 1, token_type_hint: 2 }, ['token', 'token_type_hint']],
  ])('of %s is never converted or guessed: %j', async (path, body, names) => {
    const { errors } = expectProblem(await service().post(path, body, KEY), 'validation.failed');
    expect(Object.keys(errors ?? {})).toEqual(names);
  });
});

describe('text that means something elsewhere', () => {
  const TEXTS = ["' OR 1=1 --", '%', '../../etc', '\u0001', '${7*7}', 'a'.repeat(8000)];

  it.each(TEXTS.map((text) => [text]))('is a wrong value and no more: %j', async (text) => {
    const started = await startRedirect(service());
    const id = encodeURIComponent(text);
    const answers = [
      await service().post('/callback', { state: text, auto_complete: true }),
      await service().post('/complete-mfa', { attempt_id: text }),
      await service().post(`/token/${started.attempt_id}`, { attempt_token: text }),
      await service().post(`/token/${id}`, { attempt_token: text }),
    ];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404, 404]);
    expect(await statusOf(service(), started)).toBe('pending');
  });

  it.each(['\u0001', '‮', '<script>', "'; DROP TABLE users; --", '🏠', '\\u0000', '\ufffd'])(
    'is kept as a device name: %j',
    async (device_name) => {
      const { token } = await login(service(), undefined, { device_name });
      const answer = await service().get('/tokens', bearer(token));
      const { data } = answer.json<{ data: Json[] }>();
      const current = data.filter((device) => device['current']);
      expect(current).toMatchObject([{ device_name }]);
    },
  );
});
