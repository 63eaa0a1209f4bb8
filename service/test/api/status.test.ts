import { describe, expect, it } from 'vitest';
import { ATTEMPT_LIFETIME_MS } from '../../src/attempt/attempt.ts';
import { DAY_MS } from '../../src/values/time.ts';
import {
  complete,
  dataOf,
  expectProblem,
  login,
  readStatus,
  redeem,
  startCompleted,
  startPhone,
  startRedirect,
  type Json,
  type Started,
} from '../support/service/login.ts';
import {
  BASE,
  openTestService,
  shareService,
  type Answer,
} from '../support/service/test-service.ts';

const service = shareService();
const REFUSING = '1900000010';

const PENDING = { status: 'pending', provider_status: 'PENDING', token_ready: false, user: null };

/** The headers and bytes of an answer, without the values that differ in every answer. */
function essence({ statusCode, headers, payload, rawPayload }: Answer) {
  const { 'x-request-id': requestId, date, ...rest } = headers;
  expect(date).toEqual(expect.any(String));
  const body = payload.replace(String(requestId), 'REQUEST_ID');
  return { statusCode, headers: rest, body, length: rawPayload.length };
}

async function failedAttempt(): Promise<Started> {
  const started = await startCompleted(service(), 'redirect');
  for (let count = 0; count < 5; count += 1) {
    await redeem(service(), started, { completion_code: 'wrong' });
  }
  return started;
}

describe('without the attempt token', () => {
  it('is 401, the same for a known, an unknown and a malformed id', async () => {
    const { attempt_id } = await startRedirect(service());
    const answers = [];
    for (const id of [attempt_id, attempt_id.replace(/.$/, 'x'), 'x', '%00', "'", '']) {
      answers.push(await service().get(`/status/${id}`));
    }
    for (const answer of answers) {
      expectProblem(answer, 'attempt.token_missing');
      expect(answer.headers['www-authenticate']).toBe(
        'AttemptToken header="X-Provider-Attempt-Token"',
      );
      expect(answer.headers).not.toHaveProperty('ratelimit');
    }
    expect(new Set(answers.map((answer) => JSON.stringify(essence(answer)))).size).toBe(1);
  });

  it('is 401 when the header is empty', async () => {
    const { attempt_id } = await startRedirect(service());
    expectProblem(
      await readStatus(service(), { attempt_id, attempt_token: '' }),
      'attempt.token_missing',
    );
  });

  it.each([
    ['in the address', (token: string) => ({ query: `?attempt_token=${token}`, headers: {} })],
    [
      'as a Bearer credential',
      (token: string) => ({ query: '', headers: { authorization: `Bearer ${token}` } }),
    ],
    [
      'as a cookie',
      (token: string) => ({ query: '', headers: { cookie: `attempt_token=${token}` } }),
    ],
  ])('is 401 when the token is only %s', async (_, place) => {
    const { attempt_id, attempt_token } = await startRedirect(service());
    const { query, headers } = place(attempt_token);
    const answer = await service().get(`/status/${attempt_id}${query}`, headers);
    expectProblem(answer, 'attempt.token_missing');
  });
});

describe('with the attempt token', () => {
  it('has exactly the six members of the interface document', async () => {
    for (const started of [await startRedirect(service()), await startCompleted(service())]) {
      expect(Object.keys(dataOf(await readStatus(service(), started)))).toEqual([
        'attempt_id',
        'status',
        'provider_status',
        'message',
        'token_ready',
        'user',
      ]);
    }
  });

  it('is pending until somebody completes it: no user, no token, no message', async () => {
    for (const started of [await startRedirect(service()), await startPhone(service())]) {
      expect(dataOf(await readStatus(service(), started))).toEqual({
        attempt_id: started.attempt_id,
        ...PENDING,
        message: null,
      });
    }
  });

  it.each([
    ['redirect', 'oidc'],
    ['phone', 'mfa'],
  ] as const)(
    'is authenticated after a %s, with the ten members of the user',
    async (flow, method) => {
      const started = await startCompleted(service(), flow);
      const status = dataOf(await readStatus(service(), started));
      const user = status['user'] as Json;
      expect(status).toEqual({
        attempt_id: started.attempt_id,
        status: 'authenticated',
        provider_status: 'COMPLETED',
        message: null,
        token_ready: true,
        user: {
          id: user['id'],
          national_id: '1000001101',
          name: 'Amal Salem Nasser Alnamuthaji',
          arabic_name: 'أمل سالم ناصر النموذجي',
          english_name: 'Amal Salem Nasser Alnamuthaji',
          preferred_locale: 'en',
          nationality: 'SA',
          gender: 'F',
          assurance_level: 3,
          last_auth_method: method,
        },
      });
      expect(user['id']).toSatisfy(Number.isInteger);
      expect(Object.keys(user)).toHaveLength(10);
    },
  );

  it('reads the same however often it is read', async () => {
    const started = await startCompleted(service());
    const first = dataOf(await readStatus(service(), started));
    for (let count = 0; count < 3; count += 1) {
      expect(dataOf(await readStatus(service(), started))).toEqual(first);
    }
  });

  it('stays authenticated once redeemed, also past its expiry', async () => {
    const late = await openTestService();
    const started = await startCompleted(late);
    await redeem(late, started);
    const before = dataOf(await readStatus(late, started));
    expect(before).toMatchObject({ status: 'authenticated', token_ready: true });
    late.clock.advance(ATTEMPT_LIFETIME_MS + 1);
    expect(dataOf(await readStatus(late, started))).toEqual(before);
  });

  it('has an answer to HEAD without a body', async () => {
    const { attempt_id, attempt_token } = await startRedirect(service());
    const answer = await service().app.inject({
      method: 'HEAD',
      url: `${BASE}/status/${attempt_id}`,
      headers: { 'x-provider-attempt-token': attempt_token },
    });
    expect([answer.statusCode, answer.payload]).toEqual([200, '']);
  });
});

describe('an attempt that has ended', () => {
  it.each([
    ['ar', 'رُفض تسجيل الدخول.'],
    ['en', 'The sign-in was rejected.'],
  ])('is rejected, with a sentence in its own language: %s', async (locale, message) => {
    const started = await startPhone(service(), REFUSING, locale);
    const answer = await service().get(`/status/${started.attempt_id}`, {
      'x-provider-attempt-token': started.attempt_token,
      'accept-language': locale === 'ar' ? 'en' : 'ar',
    });
    expect(dataOf(answer)).toEqual({
      attempt_id: started.attempt_id,
      status: 'rejected',
      provider_status: 'REJECTED',
      message,
      token_ready: false,
      user: null,
    });
  });

  it('is failed, and gives its user away no more', async () => {
    expect(dataOf(await readStatus(service(), await failedAttempt()))).toMatchObject({
      status: 'failed',
      provider_status: 'FAILED',
      message: 'The sign-in failed.',
      token_ready: false,
      user: null,
    });
  });

  it('is rejected or failed for ever, not expired later', async () => {
    const late = await openTestService({ settings: { RATE_LIMITS: 'off' } });
    const rejected = await startPhone(late, REFUSING);
    expect(dataOf(await readStatus(late, rejected))['status']).toBe('rejected');
    late.clock.advance(ATTEMPT_LIFETIME_MS);
    expect(dataOf(await readStatus(late, rejected))['status']).toBe('rejected');
  });
});

describe('expiry', () => {
  it.each([
    ['ar', 'انتهت صلاحية المحاولة.'],
    ['en', 'The attempt has expired.'],
  ])(
    'is half-open: good at the last millisecond, over at the expiry (%s)',
    async (locale, message) => {
      const late = await openTestService();
      const pending = await startPhone(late, undefined, locale);
      const approved = await startPhone(late, undefined, locale);
      await complete(late, approved);
      late.clock.advance(ATTEMPT_LIFETIME_MS - 1);
      expect(dataOf(await readStatus(late, pending))).toMatchObject(PENDING);
      expect(dataOf(await readStatus(late, approved))).toMatchObject({ token_ready: true });
      late.clock.advance(1);
      for (const started of [pending, approved]) {
        expect(dataOf(await readStatus(late, started))).toEqual({
          attempt_id: started.attempt_id,
          status: 'expired',
          provider_status: 'EXPIRED',
          message,
          token_ready: false,
          user: null,
        });
      }
      late.clock.advance(365 * DAY_MS);
      expect(dataOf(await readStatus(late, pending))['status']).toBe('expired');
    },
  );
});

describe('what is not the caller’s', () => {
  it('is one and the same 404, byte for byte and header for header', async () => {
    const mine = await startRedirect(service());
    const other = await startPhone(service());
    const done = await startCompleted(service());
    const { token } = await login(service());
    const { attempt_id, attempt_token } = mine;
    const reversed = attempt_token.split('').toReversed().join('');
    const asked: Pick<Started, 'attempt_id' | 'attempt_token'>[] = [
      { attempt_id: '00000000-0000-7000-8000-000000000000', attempt_token },
      { attempt_id, attempt_token: reversed },
      { attempt_id, attempt_token: 'x' },
      { attempt_id, attempt_token: attempt_token.slice(0, -1) },
      { attempt_id, attempt_token: `${attempt_token}x` },
      { attempt_id, attempt_token: attempt_token.toLowerCase() },
      { attempt_id, attempt_token: `${attempt_token}, ${attempt_token}` },
      { attempt_id, attempt_token: other.attempt_token },
      { attempt_id: done.attempt_id, attempt_token },
      { attempt_id, attempt_token: token },
      { attempt_id: attempt_id.replaceAll('-', ''), attempt_token },
      { attempt_id: `{${attempt_id}}`, attempt_token },
      { attempt_id: ` ${attempt_id}`.replace(' ', '%20'), attempt_token },
      { attempt_id: `${attempt_id}%00`, attempt_token },
      { attempt_id: 'not-an-id', attempt_token },
      { attempt_id: '%F0%9F%94%91', attempt_token },
      { attempt_id: "'%20OR%20'1'='1", attempt_token },
      { attempt_id: '', attempt_token },
    ];
    const answers = [];
    for (const pair of asked) answers.push(await readStatus(service(), pair));
    const [first] = answers.map(essence);
    expect(first?.statusCode).toBe(404);
    for (const answer of answers) {
      expectProblem(answer, 'attempt.not_found');
      expect(essence(answer)).toEqual(first);
    }
  });

  it('is counted alike: nobody learns from the limit whether an attempt is there', async () => {
    const counted = await openTestService();
    const { attempt_id, attempt_token } = await startRedirect(counted);
    const remaining = [];
    for (const id of [attempt_id, 'x', attempt_id]) {
      const answer = await readStatus(counted, { attempt_id: id, attempt_token: 'wrong' });
      remaining.push(answer.headers['x-ratelimit-remaining']);
    }
    expect(remaining).toEqual(['119', '118', '117']);
    expect((await readStatus(counted, { attempt_id, attempt_token })).statusCode).toBe(200);
  });
});
