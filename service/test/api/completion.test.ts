import { describe, expect, it } from 'vitest';
import { ATTEMPT_LIFETIME_MS } from '../../src/attempt/attempt.ts';
import {
  complete,
  dataOf,
  expectProblem,
  postSignIn,
  readStatus,
  redeem,
  startCompleted,
  startPhone,
  startRedirect,
  statusOf,
  type Started,
} from '../support/service/login.ts';
import { openTestService, shareService, type Answer } from '../support/service/test-service.ts';

/** POST /callback and POST /complete-mfa: the two ways to finish an attempt without a person. */

const service = shareService();
const UNKNOWN = '01900000-0000-7000-8000-000000000000';
const REFUSING = '1900000010';

const callback = (state: string, autoComplete = true) =>
  service().post('/callback', { state, auto_complete: autoComplete });
const completeMfa = (attemptId: string) =>
  service().post('/complete-mfa', { attempt_id: attemptId });

describe('POST /callback with auto_complete true', () => {
  it('authenticates the attempt', async () => {
    const started = await startRedirect(service());
    expect((await callback(started.attempt_id)).statusCode).toBe(200);
    expect(dataOf(await readStatus(service(), started))).toMatchObject({
      status: 'authenticated',
      provider_status: 'COMPLETED',
      token_ready: true,
      user: { last_auth_method: 'oidc' },
    });
  });

  it.each([
    ['ar', 'اكتمل التحقق من الهوية.'],
    ['en', 'The authentication is complete.'],
  ])(
    'answers with four flat members, in the language of the attempt: %s',
    async (locale, message) => {
      const { attempt_id } = await startRedirect(service(), locale);
      expect((await callback(attempt_id)).json()).toEqual({
        success: true,
        message,
        attempt_id,
        redirect_to: 'http://127.0.0.1:3000/dashboard',
      });
    },
  );

  it('leads to DASHBOARD_URL, whatever the request says', async () => {
    const dashboard = 'https://app.example.test/return?tenant=7';
    const other = await openTestService({
      settings: { DASHBOARD_URL: dashboard, RATE_LIMITS: 'off' },
    });
    const { attempt_id } = await startRedirect(other);
    const body = { state: attempt_id, auto_complete: true };
    // With another site's Origin it would be refused earlier (threat 68).
    const headers = { referer: 'https://evil.test', 'x-forwarded-host': 'evil.test' };
    const targets = ['//evil.test', '/\\evil.test', 'https:evil.test', '%2f%2fevil.test', 'a\r\nb'];
    for (const target of targets) {
      const query = `?redirect_to=${encodeURIComponent(target)}`;
      const answer = await other.post(`/callback${query}`, body, headers);
      expect(answer.json()).toMatchObject({ redirect_to: dashboard });
      const refused = await other.post('/callback', { ...body, redirect_to: target });
      expectProblem(refused, 'validation.failed');
    }
  });

  it('succeeds again without effect', async () => {
    const started = await startRedirect(service());
    const first = await callback(started.attempt_id);
    const status = dataOf(await readStatus(service(), started));
    const second = await callback(started.attempt_id);
    expect([second.statusCode, second.payload]).toEqual([200, first.payload]);
    expect(dataOf(await readStatus(service(), started))).toEqual(status);
  });

  it('succeeds again after the token was issued, and issues no second one', async () => {
    const started = await startCompleted(service(), 'redirect');
    await redeem(service(), started);
    expect((await callback(started.attempt_id)).statusCode).toBe(200);
    expectProblem(await redeem(service(), started), 'attempt.already_redeemed');
  });
});

describe('POST /callback with auto_complete false', () => {
  it.each([
    ['ar', 'المحاولة بانتظار أن يكمل المستخدم تسجيل الدخول.'],
    ['en', 'The attempt is waiting for the person to sign in.'],
  ])('succeeds, changes nothing and leads to the sign-in page: %s', async (locale, message) => {
    const started = await startRedirect(service(), locale);
    expect((await callback(started.attempt_id, false)).json()).toEqual({
      success: true,
      message,
      attempt_id: started.attempt_id,
      redirect_to: started.authorization_url,
    });
    expect(await statusOf(service(), started)).toBe('pending');
  });

  it('says that an attempt is complete which nobody waits for any more', async () => {
    const started = await startCompleted(service(), 'redirect');
    const done = {
      success: true,
      message: 'The authentication is complete.',
      attempt_id: started.attempt_id,
      redirect_to: 'http://127.0.0.1:3000/dashboard',
    };
    expect((await callback(started.attempt_id, false)).json()).toEqual(done);
    await redeem(service(), started);
    expect((await callback(started.attempt_id, false)).json()).toEqual(done);
  });
});

describe('auto_complete', () => {
  it('is required', async () => {
    const started = await startRedirect(service());
    const answer = await service().post('/callback', { state: started.attempt_id });
    const problem = expectProblem(answer, 'validation.failed');
    expect(problem.errors).toEqual({ auto_complete: ['The auto complete field is required.'] });
    expect(await statusOf(service(), started)).toBe('pending');
  });

  it.each(['true', 'false', 1, 0, null, '', {}])('is not converted from %j', async (value) => {
    const started = await startRedirect(service());
    const body = { state: started.attempt_id, auto_complete: value };
    const problem = expectProblem(await service().post('/callback', body), 'validation.failed');
    expect(problem.errors).toEqual({
      auto_complete: ['The auto complete field must be true or false.'],
    });
    expect(await statusOf(service(), started)).toBe('pending');
  });
});

describe('POST /complete-mfa', () => {
  it('authenticates the attempt', async () => {
    const started = await startPhone(service());
    expect((await completeMfa(started.attempt_id)).statusCode).toBe(200);
    expect(dataOf(await readStatus(service(), started))).toMatchObject({
      status: 'authenticated',
      token_ready: true,
      user: { last_auth_method: 'mfa' },
    });
  });

  it.each([
    ['ar', 'اكتمل التحقق من الهوية.'],
    ['en', 'The authentication is complete.'],
  ])(
    'answers with three flat members, in the language of the attempt: %s',
    async (locale, message) => {
      const { attempt_id } = await startPhone(service(), undefined, locale);
      expect((await completeMfa(attempt_id)).json()).toEqual({
        success: true,
        message,
        attempt_id,
      });
    },
  );

  it('succeeds again without effect', async () => {
    const started = await startPhone(service());
    const first = await completeMfa(started.attempt_id);
    const second = await completeMfa(started.attempt_id);
    expect([second.statusCode, second.payload]).toEqual([200, first.payload]);
  });
});

type Finish = readonly [string, (started: Started) => Promise<Answer>];

/** Each operation, with the flow whose attempts it accepts. */
const FINISHES: readonly (readonly [...Finish, 'redirect' | 'phone'])[] = [
  ['POST /callback', ({ attempt_id }) => callback(attempt_id), 'redirect'],
  [
    'POST /callback without completing',
    ({ attempt_id }) => callback(attempt_id, false),
    'redirect',
  ],
  ['POST /complete-mfa', ({ attempt_id }) => completeMfa(attempt_id), 'phone'],
];

function start(flow: 'redirect' | 'phone'): Promise<Started> {
  return flow === 'phone' ? startPhone(service()) : startRedirect(service());
}

/** Errors of these operations are also flat, and contain the attempt's id from the request. */
function expectFlat(answer: Answer, attempt_id: string): void {
  expect(answer.json()).toMatchObject({ success: false, attempt_id });
}

describe.each(FINISHES)('%s', (_, finish, flow) => {
  it('refuses an attempt of the other flow and leaves it as it was', async () => {
    const other = await start(flow === 'phone' ? 'redirect' : 'phone');
    const answer = await finish(other);
    const own = flow === 'phone' ? 'browser' : 'phone';
    expect(expectProblem(answer, 'attempt.wrong_flow')['detail']).toContain(
      `This one is by ${own}`,
    );
    expectFlat(answer, other.attempt_id);
    expect(await statusOf(service(), other)).toBe('pending');
    await complete(service(), other);
    expectProblem(await finish(other), 'attempt.wrong_flow');
  });

  it('finds neither an unknown attempt nor what can not be one', async () => {
    for (const attempt_id of [UNKNOWN, UNKNOWN.toUpperCase(), 'x', '']) {
      const answer = await finish({ attempt_id, attempt_token: '', expires_at: '' });
      expectProblem(answer, 'attempt.not_found');
      expect(answer.json()).toMatchObject({ success: false });
    }
  });

  it('has errors of the catalogue’s shape, flat', async () => {
    const answer = await finish({ attempt_id: UNKNOWN, attempt_token: '', expires_at: '' });
    expectFlat(answer, UNKNOWN);
    expect(Object.keys(answer.json<object>())).toEqual([
      'type',
      'title',
      'status',
      'detail',
      'code',
      'message',
      'remedy',
      'success',
      'attempt_id',
      'request_id',
    ]);
  });
});

describe('both operations', () => {
  it('are too late at the expiry, not a millisecond before, and change nothing', async () => {
    const late = await openTestService();
    const lateOnes = [await startRedirect(late), await startPhone(late)];
    const justInTime = [await startRedirect(late), await startPhone(late)];
    late.clock.advance(ATTEMPT_LIFETIME_MS - 1);
    for (const started of justInTime) {
      expect((await complete(late, started)).statusCode).toBe(200);
    }
    late.clock.advance(1);
    for (const started of lateOnes) {
      const answer = await complete(late, started);
      expectProblem(answer, 'attempt.expired');
      expectFlat(answer, started.attempt_id);
      expect(await statusOf(late, started)).toBe('expired');
    }
    const { attempt_id } = lateOnes[0] ?? { attempt_id: '' };
    const left = await late.post('/callback', { state: attempt_id, auto_complete: false });
    expectProblem(left, 'attempt.expired');
  });

  it('refuse what the person has refused', async () => {
    const redirect = await startRedirect(service());
    await postSignIn(service(), { state: redirect.attempt_id, decision: 'refuse' });
    const phone = await startPhone(service(), REFUSING);
    for (const started of [redirect, phone]) {
      const answer = await complete(service(), started);
      expectProblem(answer, 'attempt.rejected');
      expectFlat(answer, started.attempt_id);
    }
    expectProblem(await callback(redirect.attempt_id, false), 'attempt.rejected');
  });

  it('refuse an attempt that has failed', async () => {
    for (const flow of ['redirect', 'phone'] as const) {
      const started = await startCompleted(service(), flow);
      for (let count = 0; count < 5; count += 1) {
        await redeem(service(), started, { completion_code: 'wrong' });
      }
      const answer = await complete(service(), started);
      expectProblem(answer, 'attempt.failed');
      expectFlat(answer, started.attempt_id);
    }
  });

  it('say success false when the body is wrong, and repeat no id that is no text', async () => {
    const wrong = [
      await service().post('/callback', { state: 5, auto_complete: true }),
      await service().post('/complete-mfa', { attempt_id: { $ne: '' } }),
      await service().post('/callback', []),
    ];
    for (const answer of wrong) {
      expectProblem(answer, 'validation.failed');
      expect(answer.json()).toMatchObject({ success: false });
      expect(answer.json()).not.toHaveProperty('attempt_id');
    }
  });

  it('complete an attempt once, however many ask at the same time', async () => {
    const started = await startRedirect(service());
    const answers = await Promise.all(
      Array.from({ length: 32 }, () => callback(started.attempt_id)),
    );
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(32).fill(200));
    expect(new Set(answers.map(({ payload }) => payload)).size).toBe(1);
  });
});
