import { describe, expect, it } from 'vitest';
import { ERROR_CODES, ERROR_STATUS, type ErrorCode } from '@miftah/contract/errors';
import {
  detailOf,
  limitsOffSentence,
  publishedKeySentence,
  wordingOf,
} from '../../src/errors/wording.ts';
import { LOCALES, type Locale } from '../../src/values/locale.ts';
import { startPhone, type Json } from '../support/service/login.ts';
import {
  ENDS,
  openWithFaultyStore,
  PROVOCATIONS,
  UNREACHABLE,
} from '../support/service/provocations.ts';
import { STRICT } from '../support/service/strict-login.ts';
import {
  BASE,
  openTestService,
  shareService,
  type Answer,
} from '../support/service/test-service.ts';

/** Every error of the catalogue is provoked, and its page is opened. */

const service = shareService();
const ends = Object.keys(ENDS) as (keyof typeof ENDS)[];
const reachable = Object.keys(PROVOCATIONS) as (keyof typeof PROVOCATIONS)[];

/** Answered before a request exists whose language could be read. */
const ENGLISH_ALWAYS = new Set<ErrorCode>(['request.headers_too_large', 'request.timeout']);
/** Only browsers get these. */
const PAGES = new Set<ErrorCode>(['request.cross_site']);
/** Errors whose answer says when to try again. */
const WITH_RETRY_AFTER = new Set<ErrorCode>([
  'attempt.pending',
  'rate_limited',
  'stream.limit_reached',
  'push.budget_spent',
  'provider.unavailable',
  'storage.unavailable',
  'storage.outcome_unknown',
  'server.overloaded',
]);
/** Each 401 asks for a credential (RFC 9110, section 15.5.2), and so does RFC 6750's one with 400. */
const asksForCredential = (code: ErrorCode) =>
  ERROR_STATUS[code] === 401 || code === 'token.in_address';

it('each code is brought about below, or there is a reason why it cannot be', () => {
  const known = [...reachable, ...ends, ...Object.keys(UNREACHABLE)];
  expect(known.toSorted()).toEqual(ERROR_CODES.toSorted());
  for (const reason of Object.values(UNREACHABLE)) expect(reason.length).toBeGreaterThan(20);
});

describe.each(LOCALES)('in the language %s', (locale) => {
  it.each(reachable)('%s', async (code) => {
    const { status, headers, body } = await PROVOCATIONS[code]({ service: service(), locale });
    expect(status, body).toBe(ERROR_STATUS[code]);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-auth-mode': 'simulator',
    });
    expect('retry-after' in headers).toBe(WITH_RETRY_AFTER.has(code));
    expect('www-authenticate' in headers).toBe(asksForCredential(code));
    expect('allow' in headers).toBe(code === 'request.method_not_allowed');
    const spoken = ENGLISH_ALWAYS.has(code) ? 'en' : locale;
    if (PAGES.has(code)) expectPage(body, code, spoken);
    else expectBody(JSON.parse(body) as Json, code, spoken, headers['x-request-id']);
  });

  it.each(ends)('%s, as the end of an attempt', async (code) => {
    const { status, body } = await ENDS[code]({ service: service(), locale });
    expect(status, body).toBe(200);
    const { message } = wordingOf(code, locale);
    const data = { status: 'failed', provider_status: 'FAILED', message, user: null };
    expect(JSON.parse(body)).toMatchObject({ data });
  });
});

const KEY = 'mfk_test_simulator';

/** The simulator has a key that everybody may know, and limits that nobody needs: it names both. */
const SIMULATED_REMEDIES: Partial<Record<ErrorCode, (locale: Locale) => string>> = {
  'client.unauthenticated': (locale) => publishedKeySentence(KEY, locale),
  rate_limited: limitsOffSentence,
};

function expectBody(body: Json, code: ErrorCode, locale: Locale, requestId?: string): void {
  const { title, message, remedy } = wordingOf(code, locale);
  expect(body).toMatchObject({
    type: `/errors/${code}`,
    title,
    status: ERROR_STATUS[code],
    code,
    request_id: requestId,
    remedy: SIMULATED_REMEDIES[code]?.(locale) ?? remedy,
  });
  // A validation error instead names the faulty members.
  if (code === 'validation.failed') {
    expect(body['detail']).toBe(body['message']);
  } else {
    expect(body['message']).toBe(message);
    expect(body['detail']).toEqual(expect.stringContaining(detailOf(code, locale)));
  }
  expect('errors' in body).toBe(code === 'validation.failed');
  expect('violations' in body).toBe(code === 'validation.failed');
}

function expectPage(html: string, code: ErrorCode, locale: Locale): void {
  expect(html).toContain(`<html lang="${locale}"`);
  expect(html).toContain(code);
  expect(html).toContain(wordingOf(code, locale).title);
}

const get = (url: string, accept: string, language: string): Promise<Answer> =>
  service().request({
    method: 'GET',
    url,
    headers: { accept, 'accept-language': language },
  });

describe('GET /errors/{code}', () => {
  it.each(ERROR_CODES)(
    'says of %s what the catalogue says: to people and to programs',
    async (code) => {
      for (const locale of LOCALES) {
        const { title, message, cause, remedy } = wordingOf(code, locale);
        const asJson = await get(`/errors/${code}`, 'application/json', locale);
        expect(asJson.json()).toEqual({
          data: { code, status: ERROR_STATUS[code], title, message, cause, remedy },
        });
        const page = await get(`/errors/${code}`, 'text/html,*/*;q=0.8', locale);
        expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
        expect(page.payload).toContain(`<html lang="${locale}"`);
        const isolated = page.payload.replaceAll(/<\/?bdi[^>]*>/g, '');
        const text = isolated.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
        for (const part of [title, code, String(ERROR_STATUS[code])]) expect(text).toContain(part);
      }
    },
  );

  it('is where the type of each error leads', async () => {
    for (const code of reachable.filter((one) => !PAGES.has(one)).slice(0, 12)) {
      const { body } = await PROVOCATIONS[code]({ service: service(), locale: 'en' });
      const { type } = JSON.parse(body) as { type: string };
      const page = await get(type, 'application/json', 'en');
      expect(page.json()).toMatchObject({ data: { code } });
    }
  });

  it('has an index of all, in both forms', async () => {
    const asJson = await get('/errors', 'application/json', 'en');
    const { data } = asJson.json<{ data: { code: string }[] }>();
    expect(data.map(({ code }) => code)).toEqual(ERROR_CODES);
    const page = await get('/errors', 'text/html', 'ar');
    for (const code of ERROR_CODES) expect(page.payload).toContain(`/errors/${code}`);
  });

  it('says to programs too which code was probably meant', async () => {
    for (const [locale, note] of [
      ['en', 'Did you mean GET /errors/attempt.expired?'],
      ['ar', 'هل تقصد GET /errors/attempt.expired؟'],
    ] as const) {
      const answer = await get('/errors/attempt.expird', 'application/json', locale);
      expect(answer.statusCode).toBe(404);
      expect(answer.json<{ detail: string }>().detail).toContain(note);
    }
  });

  it('does not know other codes', async () => {
    for (const code of ['nothing', '__proto__', 'toString', 'attempt.', 'ATTEMPT.EXPIRED']) {
      const answer = await get(`/errors/${code}`, 'application/json', 'en');
      expect(answer.json()).toMatchObject({ code: 'route.not_found' });
    }
  });
});

it.each([
  [
    'en',
    'No Authorization header was sent.',
    'The Authorization header has no key of a known client',
    'The Authorization header is not the word Bearer and one value. Send it as: Bearer mf',
    'has the hash of a key, as in CLIENTS_FILE. Send the key itself',
  ],
  [
    'ar',
    'لم تُرسَل الترويسة Authorization.',
    'لا تحمل الترويسة Authorization مفتاح تطبيق معروفًا',
    'ليس في الترويسة Authorization الكلمة Bearer وبعدها قيمة واحدة. أرسلها هكذا: Bearer mf',
    'ناتج التجزئة (hash) لمفتاح، كما في CLIENTS_FILE. أرسل المفتاح نفسه',
  ],
])(
  'client.unauthenticated says in %s what was sent',
  async (locale, none, unknown, alone, hashed) => {
    const asked = (headers: Record<string, string>) =>
      service().post('/introspect', { token: 'x' }, { 'accept-language': locale, ...headers });
    const problem = { status: 401, code: 'client.unauthenticated' };
    const sent = [{ authorization: 'Bearer mfk_nobody' }, { authorization: 'Basic eDp5' }];
    for (const [headers, says] of [
      [{}, none],
      ...sent.map((one) => [one, unknown] as const),
      [{ authorization: 'mfk_test_simulator' }, alone],
      [{ authorization: 'Bearer Bearer mfk_test_simulator' }, alone],
      [{ authorization: 'Bearer ' }, alone],
      [{ authorization: `Bearer sha256:${'0a'.repeat(32)}` }, hashed],
    ] as const) {
      expect((await asked(headers)).json()).toMatchObject({
        ...problem,
        detail: expect.stringContaining(says) as string,
      });
    }
  },
);

it('client.unauthenticated says that Basic is not taken where it is not', async () => {
  const strict = await openTestService({ settings: STRICT });
  const headers = { authorization: 'Basic eDp5', 'accept-language': 'en' };
  const asked = await strict.post('/start', { locale: 'en' }, headers);
  expect(asked.json<{ detail: string }>().detail).toContain('is not the word Bearer');
});

it.each([
  ['en', 'belong to two clients', 'Send the client key'],
  ['ar', 'لتطبيقين مختلفين', 'أرسل مفتاح'],
])('client.unauthenticated says in %s that id and key are of two', async (locale, detail, cure) => {
  const authorization = `Basic ${btoa(`demo:${KEY}`)}`;
  const headers = { authorization, 'accept-language': locale };
  const asked = await service().post('/introspect', { token: 'x' }, headers);
  const problem = asked.json<{ detail: string; remedy: string }>();
  expect(problem.detail).toContain(detail);
  expect(problem.remedy).toContain(cure);
  expect(problem.remedy).not.toContain(KEY);
});

it('attempt.token_missing says of a token in the other header that it belongs into this one', async () => {
  const { attempt_id, attempt_token } = await startPhone(service());
  const asked = async (sent: string) =>
    (
      await service().app.inject({
        url: `/api/v1/status/${attempt_id}`,
        headers: { authorization: `Bearer ${sent}`, 'accept-language': 'en' },
      })
    ).json<{ code: string; detail: string }>();
  const both = 'X-Provider-Attempt-Token is missing. The Authorization header has what looks like';
  const wrongPlace = await asked(attempt_token);
  expect([wrongPlace.code, wrongPlace.detail]).toEqual([
    'attempt.token_missing',
    expect.stringContaining(both),
  ]);
  expect(wrongPlace.detail).not.toContain(attempt_token);
  expect((await asked(KEY)).detail).not.toContain('looks like');
});

it('token.missing says whether the token was sent without its scheme', async () => {
  const asked = await service().app.inject({
    url: `${BASE}/user`,
    headers: { authorization: `mft_${'A'.repeat(43)}`, 'accept-language': 'en' },
  });
  expect(asked.json()).toMatchObject({
    code: 'token.missing',
    detail:
      'The Authorization header is not the word Bearer and one value. Send it as: Bearer mft_...',
  });
});

const faultOfTheStore = (message: string) => new Error(message);

describe('a fault of our own', () => {
  it('is told without its message, neither to the caller nor to the log', async () => {
    const secret = 'SELECT * FROM users WHERE national_id = 1000001101';
    const broken = await openWithFaultyStore(faultOfTheStore(secret));
    const answer = await broken.post('/start', { locale: 'en' });
    expect(answer.statusCode).toBe(500);
    const log = broken.logLines.join('');
    for (const text of [answer.payload, log]) expect(text).not.toContain('SELECT');
    const line = broken.logLines.find((one) => one.includes('could not be served')) ?? '{}';
    const fault = JSON.parse(line) as Json;
    expect(fault).toMatchObject({
      level: 50,
      code: 'server.error',
      fault: 'Error',
      reqId: answer.headers['x-request-id'],
    });
    expect(JSON.stringify(fault['stack'])).toContain('faultOfTheStore');
  });

  it('is told when what was thrown is no Error', async () => {
    const broken = await openWithFaultyStore('a secret text' as unknown as Error);
    expect((await broken.post('/start', { locale: 'en' })).statusCode).toBe(500);
    expect(broken.logLines.join('')).not.toContain('a secret text');
  });
});

async function lineOf(asked: Promise<Answer>) {
  const { headers } = await asked;
  const id = String(headers['x-request-id']);
  const isLine = (line: string) => line.includes(id) && line.includes('"msg":"request"');
  const line = service().logLines.find(isLine) ?? '{}';
  return { line, said: JSON.parse(line) as Json };
}

describe('the line of a refused request in the log', () => {
  it('names the error and the members of ours that are wrong, and nothing that was sent', async () => {
    const { line, said } = await lineOf(
      service().post('/start', { locale: 'fr', nationalId: '1000001101', '1000001102': 'x' }),
    );
    expect(said).toMatchObject({ status: 422, code: 'validation.failed', fields: ['locale'] });
    expect(line).not.toMatch(/nationalId|100000110|"fr"/);
  });

  it('has no names where only unknown members are wrong, or a text is none', async () => {
    for (const body of [
      { locale: 'en', phone: '1' },
      { locale: 'en', '\ud800': 'x' },
    ]) {
      const { said } = await lineOf(service().post('/start', body));
      expect(said).toMatchObject({ code: 'validation.failed' });
      expect(said).not.toHaveProperty('fields');
    }
  });

  it('names a header that is wrong', async () => {
    const headers = { 'x-miftah-scope': 'no scope!' };
    const { said } = await lineOf(service().post('/start', { locale: 'en' }, headers));
    expect(said['fields']).toEqual(['X-Miftah-Scope']);
  });

  it('names the error of the control API too', async () => {
    const asked = service().request({ method: 'GET', url: '/simulator/attempts/x' });
    expect((await lineOf(asked)).said).toMatchObject({ status: 404, code: 'attempt.not_found' });
  });
});
