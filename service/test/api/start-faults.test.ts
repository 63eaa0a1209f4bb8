import { describe, expect, it } from 'vitest';
import { expectProblem, type Headers, type Json, type Problem } from '../support/service/login.ts';
import { shareService } from '../support/service/test-service.ts';

/** How errors of a body are reported: decision 0010, and the form of errors. */

const service = shareService();

async function refusalOf(body: unknown, headers: Headers = {}): Promise<Problem> {
  return expectProblem(await service().post('/start', body, headers), 'validation.failed');
}

describe('a body that fits neither flow', () => {
  it.each<[string, Json, Record<string, string>]>([
    ['nothing', {}, { locale: 'required' }],
    ['a bad number alone', { national_id: '12' }, { national_id: 'format', locale: 'required' }],
    ['a number alone', { national_id: '1000001101' }, { locale: 'required' }],
    ['a bad locale', { locale: 'fr' }, { locale: 'format' }],
    [
      'a bad number and a bad locale',
      { national_id: '12', locale: 'fr' },
      { national_id: 'format', locale: 'format' },
    ],
    ['a misspelt number', { nationalid: '1000001101', locale: 'ar' }, { nationalid: 'unknown' }],
    ['a stranger', { locale: 'ar', extra: 1 }, { extra: 'unknown' }],
    [
      'a number and a stranger',
      { national_id: '1000001101', locale: 'ar', extra: 1 },
      { extra: 'unknown' },
    ],
    [
      'a bad number and a stranger',
      { national_id: '12', locale: 'ar', extra: 1 },
      { national_id: 'format', extra: 'unknown' },
    ],
  ])('with %s is told why for the flow that it resembles', async (_, body, rules) => {
    const { violations } = await refusalOf(body);
    expect(violations).toEqual(
      Object.entries(rules).map(([name, code]) => ({ pointer: `/${name}`, code })),
    );
  });

  it('names its members in the order of the document, unknown ones last', async () => {
    const { errors } = await refusalOf({ zebra: 1, locale: 'fr', national_id: '12', apple: 2 });
    expect(Object.keys(errors ?? {})).toEqual(['national_id', 'locale', 'zebra', 'apple']);
  });

  it('tells a misspelt member before the one that is missing because of it', async () => {
    const { detail, violations } = await refusalOf({ local: 'en' });
    expect(detail).toBe(
      'The local field is not known here. Did you mean "locale"? (and 1 more error)',
    );
    expect(violations).toEqual([
      { pointer: '/local', code: 'unknown' },
      { pointer: '/locale', code: 'required' },
    ]);
  });

  it('has a pointer that RFC 6901 can follow, whatever the member is called', async () => {
    const { violations } = await refusalOf({ locale: 'ar', 'a/b~c': 1 });
    expect(violations).toEqual([{ pointer: '/a~1b~0c', code: 'unknown' }]);
  });

  it('is refused for a status, an id or a token that only the service may set', async () => {
    const body = { locale: 'ar', status: 'authenticated', attempt_id: 'x', token_ready: true };
    const { errors } = await refusalOf(body);
    expect(Object.keys(errors ?? {})).toEqual(['status', 'attempt_id', 'token_ready']);
  });
});

const strangers = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, 1]));

const NATIONAL_ID =
  'The national id format is invalid: it has ten digits, the first not 0, and is not a phone number.';

describe('the message', () => {
  it('is the sentence of the first error alone', async () => {
    const problem = await refusalOf({ locale: 'fr' });
    expect(problem.message).toBe('The locale format is invalid: use ar or en.');
  });

  it.each([
    [{ national_id: '12' }, `${NATIONAL_ID} (and 1 more error)`],
    [{ national_id: '12', a: 1 }, `${NATIONAL_ID} (and 2 more errors)`],
    [
      { locale: 'en', a: 1, b: 1, c: 1 },
      'The a field is not known here: known are national_id, locale, return_address. (and 2 more errors)',
    ],
  ])('of %j counts the others', async (body, message) => {
    expect((await refusalOf(body)).message).toBe(message);
  });

  it('counts in Arabic as Arabic does', async () => {
    const messages: string[] = [];
    for (const count of [1, 2, 3, 4, 12]) {
      messages.push((await refusalOf({ locale: 'ar', ...strangers(count) })).message);
    }
    const first = 'الحقل m0 غير معروف هنا: المعروف national_id، locale، return_address.';
    expect(messages).toEqual([
      first,
      `${first} (وخطأ آخر)`,
      `${first} (وخطآن آخران)`,
      `${first} (و3 أخطاء أخرى)`,
      `${first} (و11 خطأً آخر)`,
    ]);
  });

  it('keeps marks of direction and controls out of what it repeats', async () => {
    const { message } = await refusalOf({ locale: 'en', 'a\u202e\u0007b\n': 1 });
    expect(message).toMatch(/^The ab field is not known here: known are national_id, /);
  });
});

describe('the language of an error', () => {
  const ARABIC =
    'صيغة حقل رقم الهوية غير صحيحة: يتكوّن من عشرة أرقام ليس أولها صفرًا، وليس رقم جوال.';

  it.each<[string, string, Headers, string]>([
    ['the locale of the body', 'ar', {}, ARABIC],
    ['the locale of the body, with a region', 'AR-sa', {}, ARABIC],
    ['the body before Accept-Language', 'ar', { 'accept-language': 'en' }, ARABIC],
    ['the body before Accept-Language', 'en', { 'accept-language': 'ar' }, NATIONAL_ID],
  ])('follows %s', async (_, locale, headers, message) => {
    expect((await refusalOf({ national_id: '12', locale }, headers)).message).toBe(message);
  });

  it.each([
    ['ar', 'ar'],
    ['ar-EG,en;q=0.5', 'ar'],
    ['fr, ar;q=0.8, en;q=0.9', 'en'],
    ['ar;q=0, en', 'en'],
    ['fr', 'en'],
    ['', 'en'],
    ['*', 'en'],
    [';;;q=x,,', 'en'],
    [undefined, 'en'],
  ])('without a locale follows Accept-Language %j: %s', async (accepted, language) => {
    const headers = accepted === undefined ? {} : { 'accept-language': accepted };
    const { message } = await refusalOf({}, headers);
    expect(message).toBe(language === 'ar' ? 'حقل اللغة مطلوب.' : 'The locale field is required.');
  });

  it('leaves the code as it is', async () => {
    const inBoth = [
      await refusalOf({ locale: 'ar', a: 1 }),
      await refusalOf({ locale: 'en', a: 1 }),
    ];
    expect(
      inBoth.map(({ violations, ...rest }) => [rest['code'], rest['type'], violations]),
    ).toEqual(
      Array.from({ length: 2 }, () => [
        'validation.failed',
        '/errors/validation.failed',
        [{ pointer: '/a', code: 'unknown' }],
      ]),
    );
  });
});

const withoutId = (text: string) => text.replace(/"request_id":"[^"]+"/, '');

describe('the body of an error', () => {
  it('serves readers of RFC 9457 and of Laravel alike, and has nothing else', async () => {
    const problem = await refusalOf({ locale: 'fr' });
    expect(Object.keys(problem)).toEqual([
      'type',
      'title',
      'status',
      'detail',
      'code',
      'message',
      'remedy',
      'errors',
      'violations',
      'request_id',
    ]);
  });

  it.each([
    ['application/json', 'application/json; charset=utf-8'],
    ['text/html, application/json;q=0.9', 'application/json; charset=utf-8'],
    ['application/problem+json, application/json', 'application/problem+json; charset=utf-8'],
    ['*/*', 'application/problem+json; charset=utf-8'],
    ['text/html', 'application/problem+json; charset=utf-8'],
  ])('for Accept %s has the type %s and the same bytes', async (accept, type) => {
    const answer = await service().post('/start', {}, { accept });
    const other = await service().post('/start', {});
    expect(answer.headers['content-type']).toBe(type);
    expect(withoutId(answer.payload)).toBe(withoutId(other.payload));
  });
});
