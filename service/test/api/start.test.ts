import { describe, expect, it } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../src/values/time.ts';
import { createFakeClock, START_OF_TIME } from '../support/service/fake-clock.ts';
import {
  complete,
  dataOf,
  expectProblem,
  FAISAL,
  issuedOf,
  readStatus,
  redeem,
  startedOf,
  startPhone,
  startRedirect,
} from '../support/service/login.ts';
import { openTestService, shareService } from '../support/service/test-service.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const service = shareService();

describe('POST /start by redirect', () => {
  it('answers with exactly the four members of the redirect flow', async () => {
    const started = await startRedirect(service());
    expect(Object.keys(started)).toEqual([
      'attempt_id',
      'attempt_token',
      'authorization_url',
      'expires_at',
    ]);
  });

  it('points authorization_url at the callback, with state equal to the attempt id', async () => {
    const { attempt_id, authorization_url } = await startRedirect(service());
    expect(authorization_url).toBe(`http://127.0.0.1:3000/api/v1/callback?state=${attempt_id}`);
  });

  it('takes the origin of authorization_url from PUBLIC_URL, whatever the request says', async () => {
    const settings = { PUBLIC_URL: 'https://login.example.test', PROVIDER: 'simulator' };
    const other = await openTestService({ settings });
    const hosts = [
      { host: 'login.example.test' },
      { host: 'localhost:1' },
      { host: 'login.example.test', 'x-forwarded-host': 'evil.test' },
      { host: 'login.example.test', forwarded: 'host=evil.test;proto=http' },
      { host: 'login.example.test', 'x-forwarded-proto': 'ftp', 'x-original-url': '/evil' },
    ];
    for (const headers of hosts) {
      const answer = await other.post('/start', { locale: 'ar' }, headers);
      const { attempt_id, authorization_url } = startedOf(answer);
      expect(authorization_url).toBe(
        `https://login.example.test/api/v1/callback?state=${attempt_id}`,
      );
    }
  });
});

describe('POST /start by phone', () => {
  it('answers with exactly the four members of the phone flow', async () => {
    const started = await startPhone(service());
    expect(Object.keys(started)).toEqual([
      'attempt_id',
      'attempt_token',
      'random',
      'random_expires_at',
      'expires_at',
    ]);
  });

  it('gives six digits as text, leading zeros included', async () => {
    const numbers = await Promise.all(
      Array.from({ length: 200 }, async () => (await startPhone(service())).random),
    );
    for (const random of numbers) expect(random).toMatch(/^[0-9]{6}$/);
    // That none of 200 begins with 0 has a probability of one in a thousand million.
    expect(numbers.some((random) => random?.startsWith('0'))).toBe(true);
  });
});

describe('POST /start by either flow', () => {
  it('gives a token of 64 characters, never the same twice', async () => {
    const started = await Promise.all([
      ...Array.from({ length: 50 }, () => startRedirect(service())),
      ...Array.from({ length: 50 }, () => startPhone(service())),
    ]);
    for (const { attempt_token } of started) expect(attempt_token).toMatch(/^[\w-]{64}$/);
    expect(new Set(started.map(({ attempt_token }) => attempt_token)).size).toBe(100);
    expect(new Set(started.map(({ attempt_id }) => attempt_id)).size).toBe(100);
  });

  it('gives ids of UUID version 7, with the time of the start in front', async () => {
    const { attempt_id } = await startRedirect(service());
    expect(attempt_id).toMatch(UUID_V7);
    const time = Number.parseInt(attempt_id.replace('-', '').slice(0, 12), 16);
    expect(time).toBe(service().clock.now());
  });

  it('expires exactly five minutes after the clock, written with the offset +00:00', async () => {
    const at = await openTestService({ clock: createFakeClock(START_OF_TIME) });
    expect((await startRedirect(at)).expires_at).toBe('2026-01-31T09:05:00+00:00');
    at.clock.advance(56 * MINUTE_MS);
    expect((await startPhone(at)).expires_at).toBe('2026-01-31T10:01:00+00:00');
    at.clock.advance(SECOND_MS - 1);
    expect((await startPhone(at)).expires_at, 'rounded down').toBe('2026-01-31T10:01:00+00:00');
  });

  it('leaves the attempt pending, for the holder of the token only', async () => {
    for (const started of [await startRedirect(service()), await startPhone(service())]) {
      expect(dataOf(await readStatus(service(), started))['status']).toBe('pending');
    }
  });

  it('is JSON, with a charset', async () => {
    const answer = await service().post('/start', { locale: 'ar' });
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  });
});

describe('locale', () => {
  it.each(['ar', 'en', 'ar-SA', 'EN-gb', 'AR', 'En', 'ar-Arab-SA', 'en-US-x-miftah', 'ar_SA'])(
    'takes %s',
    async (locale) => {
      expect((await startRedirect(service(), locale)).attempt_id).toMatch(UUID_V7);
    },
  );

  it.each(['fr', '', ' ', 'a', 'arabic', 'ar.SA', 'ar-', '-ar', 'ar SA', 'ar\n', 'en-ABCDEFGHI'])(
    'refuses %j by name',
    async (locale) => {
      const problem = expectProblem(
        await service().post('/start', { locale }),
        'validation.failed',
      );
      expect(problem.errors).toEqual({ locale: ['The locale format is invalid: use ar or en.'] });
      expect(problem.violations).toEqual([{ pointer: '/locale', code: 'format' }]);
    },
  );

  it.each([5, true, null, [], {}, ['ar'], { ar: 'ar' }, 1e308])(
    'is not converted from %j',
    async (locale) => {
      const problem = expectProblem(
        await service().post('/start', { locale }),
        'validation.failed',
      );
      expect(problem.errors).toEqual({ locale: ['The locale field must be a string.'] });
      expect(problem.violations).toEqual([{ pointer: '/locale', code: 'type' }]);
    },
  );

  it('decides preferred_locale and name of the user by its language', async () => {
    const seen: unknown[] = [];
    for (const locale of ['ar-SA', 'EN-gb']) {
      const started = await startPhone(service(), FAISAL, locale);
      await complete(service(), started);
      const { user } = issuedOf(await redeem(service(), started));
      seen.push({ ...user, id: 0 });
    }
    expect(seen).toMatchObject([
      { preferred_locale: 'ar', name: 'فيصل عمر خالد التجريبي' },
      { preferred_locale: 'en', name: 'Faisal Omar Khalid Altajribi' },
    ]);
  });
});

describe('national_id', () => {
  it.each([
    ['ASCII', '1000002201'],
    ['Arabic-Indic', '١٠٠٠٠٠٢٢٠١'],
    ['Persian', '۱۰۰۰۰۰۲۲۰۱'],
    ['mixed', '1٠٠۰۰02٢۰1'],
    ['full-width', '１０００００２２０１'],
    ['pasted', '\u200f 1000-002\u00a0201\ufeff'],
  ])('means the same person in %s digits', async (_, typed) => {
    const started = await startPhone(service(), typed);
    await complete(service(), started);
    const { user } = issuedOf(await redeem(service(), started));
    expect(user.national_id).toBe(FAISAL);
  });

  it.each([
    '',
    '0000000000',
    '0123456789',
    '٠١٢٣٤٥٦٧٨٩',
    '123456789',
    '12345678901',
    '12345 6789',
    '12345--67890',
    '1234567890\n',
    '123456789a',
    '123456789०',
    '१२३४५६७८९०',
    '+123456789',
    '12345678.9',
    '1e9',
    "1' OR '1'='1",
    '1234567890\t',
  ])('refuses %j by name', async (national_id) => {
    const body = { national_id, locale: 'en' };
    const problem = expectProblem(await service().post('/start', body), 'validation.failed');
    expect(problem.errors).toEqual({
      national_id: [
        'The national id format is invalid: it has ten digits, the first not 0, and is not a phone number.',
      ],
    });
    expect(problem.violations).toEqual([{ pointer: '/national_id', code: 'format' }]);
  });

  it('refuses U+0000 behind ten digits, which is no text', async () => {
    const body = { national_id: '1234567890\u0000', locale: 'en' };
    const problem = expectProblem(await service().post('/start', body), 'validation.failed');
    expect(problem.violations).toEqual([{ pointer: '/national_id', code: 'text' }]);
  });

  it.each([1234567890, null, true, ['1234567890'], { $gt: '' }])(
    'is not converted from %j',
    async (national_id) => {
      const body = { national_id, locale: 'en' };
      const problem = expectProblem(await service().post('/start', body), 'validation.failed');
      expect(problem.errors).toEqual({ national_id: ['The national id field must be a string.'] });
    },
  );
});
