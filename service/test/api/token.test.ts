import { describe, expect, it } from 'vitest';
import { ATTEMPT_LIFETIME_MS } from '../../src/attempt/attempt.ts';
import { COMPLETION_CODE_LIFETIME_MS } from '../../src/attempt/redeem/completion-code.ts';
import { SECOND_MS } from '../../src/values/time.ts';
import {
  approveInBrowser,
  bearer,
  complete,
  dataOf,
  expectProblem,
  issuedOf,
  readStatus,
  redeem,
  startCompleted,
  startPhone,
  startRedirect,
  statusOf,
  type Json,
} from '../support/service/login.ts';
import { openTestService, shareService } from '../support/service/test-service.ts';

const service = shareService();

describe('POST /token/{attempt_id}', () => {
  it.each(['redirect', 'phone'] as const)(
    'answers with the four members of the API token after a %s',
    async (flow) => {
      const started = await startCompleted(service(), flow);
      const issued = issuedOf(await redeem(service(), started, { device_name: 'My phone' }));
      expect(Object.keys(issued)).toEqual(['token', 'token_type', 'expires_at', 'user']);
      expect(issued.token_type).toBe('Bearer');
      expect(issued.token).toMatch(/^mft_test_[0-9A-Za-z]{49}$/);
      const { user } = dataOf(await readStatus(service(), started));
      expect(issued.user).toEqual(user);
    },
  );

  it('gives a token for 30 days, or for TOKEN_LIFETIME', async () => {
    const usual = await startCompleted(service());
    expect(issuedOf(await redeem(service(), usual)).expires_at).toBe('2026-03-02T09:00:00+00:00');
    const brief = await openTestService({ settings: { TOKEN_LIFETIME: '90s' } });
    const { token, expires_at } = issuedOf(await redeem(brief, await startCompleted(brief)));
    expect(expires_at).toBe('2026-01-31T09:01:30+00:00');
    brief.clock.advance(90 * SECOND_MS - 1);
    expect((await brief.get('/user', bearer(token))).statusCode).toBe(200);
    brief.clock.advance(1);
    expectProblem(await brief.get('/user', bearer(token)), 'token.invalid');
  });

  it('never gives the same token twice', async () => {
    const tokens = await Promise.all(
      Array.from({ length: 20 }, async () => {
        return issuedOf(await redeem(service(), await startCompleted(service()))).token;
      }),
    );
    expect(new Set(tokens).size).toBe(20);
  });

  it('is 409 with Retry-After 2 while nobody has approved, and the attempt goes on', async () => {
    for (const started of [await startRedirect(service()), await startPhone(service())]) {
      const answer = await redeem(service(), started);
      expectProblem(answer, 'attempt.pending');
      expect(answer.headers['retry-after']).toBe('2');
      await complete(service(), started);
      expect((await redeem(service(), started)).statusCode).toBe(200);
    }
  });

  it('is 409 the second time, and the first token stays good', async () => {
    const started = await startCompleted(service());
    const { token } = issuedOf(await redeem(service(), started));
    expectProblem(await redeem(service(), started), 'attempt.already_redeemed');
    expect((await service().get('/user', bearer(token))).statusCode).toBe(200);
  });

  it('is 409 for an attempt that was refused, and for one that failed', async () => {
    const refused = await startPhone(service(), '1900000010');
    expectProblem(await redeem(service(), refused), 'attempt.rejected');
    const failed = await startCompleted(service());
    for (let count = 0; count < 5; count += 1) {
      await redeem(service(), failed, { completion_code: 'wrong' });
    }
    expectProblem(await redeem(service(), failed), 'attempt.failed');
  });

  it('is too late at the expiry, not a millisecond before', async () => {
    const late = await openTestService();
    const [first, second, pending] = [
      await startCompleted(late),
      await startCompleted(late, 'redirect'),
      await startPhone(late),
    ];
    late.clock.advance(ATTEMPT_LIFETIME_MS - 1);
    expect((await redeem(late, first)).statusCode).toBe(200);
    late.clock.advance(1);
    expectProblem(await redeem(late, second), 'attempt.expired');
    expectProblem(await redeem(late, pending), 'attempt.expired');
    expectProblem(await redeem(late, first), 'attempt.already_redeemed');
    expect(await statusOf(late, second)).toBe('expired');
  });

  it('is 422 without the attempt token, before any look-up', async () => {
    const { attempt_id } = await startCompleted(service());
    for (const id of [attempt_id, 'x']) {
      const problem = expectProblem(await service().post(`/token/${id}`, {}), 'validation.failed');
      expect(problem.message).toBe('The attempt token field is required.');
    }
  });

  it('is one and the same 404 for all that does not belong together', async () => {
    const mine = await startCompleted(service());
    const other = await startCompleted(service());
    const { attempt_id, attempt_token } = mine;
    const asked = [
      { attempt_id: '00000000-0000-7000-8000-000000000000', attempt_token },
      { attempt_id, attempt_token: other.attempt_token },
      { attempt_id: other.attempt_id, attempt_token },
      { attempt_id, attempt_token: '' },
      { attempt_id, attempt_token: attempt_token.slice(1) },
      { attempt_id, attempt_token: `${attempt_token} ` },
      { attempt_id: 'x', attempt_token },
      { attempt_id: '%00', attempt_token },
    ];
    const seen = new Set<string>();
    for (const pair of asked) {
      const answer = await redeem(service(), pair);
      expectProblem(answer, 'attempt.not_found');
      const { 'x-request-id': requestId, date, ...headers } = answer.headers;
      expect(date).toEqual(expect.any(String));
      seen.add(JSON.stringify([headers, answer.payload.replace(String(requestId), '')]));
    }
    expect(seen.size).toBe(1);
    expect((await redeem(service(), mine)).statusCode).toBe(200);
  });
});

const deviceOf = async (members: Json): Promise<unknown> => {
  const started = await startCompleted(service());
  const { token } = issuedOf(await redeem(service(), started, members));
  const { data } = (await service().get('/tokens', bearer(token))).json<{ data: Json[] }>();
  return data.find((device) => device['current'])?.['device_name'];
};

describe('device_name', () => {
  it.each(['My phone', '', ' ', 'جوال سارة', 'x'.repeat(255), '🔑'.repeat(255)])(
    'may be %j',
    async (name) => {
      expect(await deviceOf({ device_name: name })).toBe(name);
    },
  );

  it('may be left out', async () => {
    expect(await deviceOf({})).toBeNull();
  });

  it.each(['x'.repeat(256), '🔑'.repeat(256)])('may not have 256 characters', async (name) => {
    const started = await startCompleted(service());
    const answer = await redeem(service(), started, { device_name: name });
    const problem = expectProblem(answer, 'validation.failed');
    expect(problem.message).toBe('The device name field must not be greater than 255 characters.');
    expect(problem.violations).toEqual([{ pointer: '/device_name', code: 'too_long' }]);
    expect((await redeem(service(), started)).statusCode).toBe(200);
  });
});

describe('completion_code', () => {
  it('is accepted from the browser that finished, and needed from nobody', async () => {
    const withCode = await startRedirect(service());
    const completion_code = await approveInBrowser(service(), withCode);
    expect((await redeem(service(), withCode, { completion_code })).statusCode).toBe(200);
    const without = await startRedirect(service());
    await approveInBrowser(service(), without);
    expect((await redeem(service(), without)).statusCode).toBe(200);
  });

  it('is checked when it is given, also where there is none', async () => {
    const byBrowser = await startRedirect(service());
    await approveInBrowser(service(), byBrowser);
    const other = await startRedirect(service());
    const otherCode = await approveInBrowser(service(), other);
    const wrong = [
      [byBrowser, otherCode],
      [byBrowser, ''],
      [await startCompleted(service(), 'redirect'), otherCode],
      [await startCompleted(service(), 'phone'), otherCode],
    ] as const;
    for (const [started, completion_code] of wrong) {
      const answer = await redeem(service(), started, { completion_code });
      expectProblem(answer, 'attempt.completion_required');
      expect(await statusOf(service(), started)).toBe('authenticated');
    }
  });

  it('ends after 120 seconds, and is then a wrong one', async () => {
    const late = await openTestService({ settings: { RATE_LIMITS: 'off' } });
    const [first, second] = [await startRedirect(late), await startRedirect(late)];
    const codes = [await approveInBrowser(late, first), await approveInBrowser(late, second)];
    late.clock.advance(COMPLETION_CODE_LIFETIME_MS - 1);
    expect((await redeem(late, first, { completion_code: codes[0] })).statusCode).toBe(200);
    late.clock.advance(1);
    const answer = await redeem(late, second, { completion_code: codes[1] });
    expectProblem(answer, 'attempt.completion_required');
    expect(COMPLETION_CODE_LIFETIME_MS).toBe(120_000);
  });

  it('ends the attempt at the fifth wrong one, not at the fourth', async () => {
    const [four, five] = [await startRedirect(service()), await startRedirect(service())];
    const codes = [
      await approveInBrowser(service(), four),
      await approveInBrowser(service(), five),
    ];
    for (const [started, count] of [
      [four, 4],
      [five, 5],
    ] as const) {
      for (let guess = 0; guess < count; guess += 1) {
        const answer = await redeem(service(), started, { completion_code: `guess ${guess}` });
        expectProblem(answer, 'attempt.completion_required');
      }
    }
    expect((await redeem(service(), four, { completion_code: codes[0] })).statusCode).toBe(200);
    const tooLate = await redeem(service(), five, { completion_code: codes[1] });
    expectProblem(tooLate, 'attempt.failed');
    expect(await statusOf(service(), five)).toBe('failed');
  });

  it('is not counted when it is missing, nor while the attempt is pending', async () => {
    const started = await startRedirect(service());
    for (let count = 0; count < 6; count += 1) {
      const guess = await redeem(service(), started, { completion_code: 'guess' });
      expectProblem(guess, 'attempt.pending');
    }
    const completion_code = await approveInBrowser(service(), started);
    expect((await redeem(service(), started, { completion_code })).statusCode).toBe(200);
  });
});
