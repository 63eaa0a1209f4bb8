import { describe, expect, it } from 'vitest';
import { ATTEMPT_LIFETIME_MS } from '../../src/attempt/attempt.ts';
import { REPLAY_WINDOW_MS } from '../../src/attempt/redeem/idempotency.ts';
import {
  approveInBrowser,
  bearer,
  complete,
  expectProblem,
  issuedOf,
  redeem,
  startCompleted,
  startPhone,
  startRedirect,
  type Json,
  type Started,
} from '../support/service/login.ts';
import { openTestService, shareService, type Answer } from '../support/service/test-service.ts';

/** Idempotency-Key on POST /token: decision 0005. */

const service = shareService();
const KEY = '0123456789abcdefghijkl';
const withKey = (key: string) => ({ 'idempotency-key': key });

const redeemWith = (started: Started, key: string, members: Json = {}): Promise<Answer> =>
  redeem(service(), started, members, withKey(key));

describe('the same request with the same key', () => {
  it('gets the same token, type and expiry', async () => {
    const started = await startCompleted(service());
    const members = { device_name: 'My phone' };
    const first = await redeemWith(started, KEY, members);
    const second = await redeemWith(started, KEY, members);
    expect(issuedOf(second)).toEqual(issuedOf(first));
    const { token } = issuedOf(first);
    expect((await service().get('/user', bearer(token))).statusCode).toBe(200);
  });

  it('leaves one token, however often it is repeated', async () => {
    const alone = await openTestService();
    const started = await startCompleted(alone);
    const issued = [];
    for (let count = 0; count < 5; count += 1) {
      issued.push(issuedOf(await redeem(alone, started, {}, withKey(KEY))).token);
    }
    expect(new Set(issued).size).toBe(1);
    const devices = await alone.get('/tokens', bearer(issued[0] ?? ''));
    expect(devices.json<{ data: unknown[] }>().data).toHaveLength(1);
  });

  it('is good until 60 seconds after the redemption, not at them', async () => {
    const late = await openTestService();
    const started = await startCompleted(late);
    const again = () => redeem(late, started, {}, withKey(KEY));
    const { token } = issuedOf(await again());
    late.clock.advance(REPLAY_WINDOW_MS - 1);
    expect(issuedOf(await again()).token).toBe(token);
    late.clock.advance(1);
    expectProblem(await again(), 'attempt.already_redeemed');
    expect((await late.get('/user', bearer(token))).statusCode).toBe(200);
    expect(REPLAY_WINDOW_MS).toBe(60_000);
  });

  it('does not make the window longer', async () => {
    const late = await openTestService();
    const started = await startCompleted(late);
    const again = () => redeem(late, started, {}, withKey(KEY));
    await again();
    for (const passed of [30_000, 29_999]) {
      late.clock.advance(passed);
      expect((await again()).statusCode).toBe(200);
    }
    late.clock.advance(1);
    expectProblem(await again(), 'attempt.already_redeemed');
  });

  it('is good past the expiry of the attempt', async () => {
    const late = await openTestService();
    const started = await startCompleted(late);
    late.clock.advance(ATTEMPT_LIFETIME_MS - 1);
    const first = await redeem(late, started, {}, withKey(KEY));
    late.clock.advance(REPLAY_WINDOW_MS - 1);
    expect(issuedOf(await redeem(late, started, {}, withKey(KEY)))).toEqual(issuedOf(first));
  });

  it('is good after a restart on the same data', async () => {
    const before = await openTestService();
    const started = await startCompleted(before);
    const first = issuedOf(await redeem(before, started, { device_name: 'x' }, withKey(KEY)));
    const { dataDir, clock } = before;
    await before.close();
    const after = await openTestService({ dataDir, clock });
    const second = issuedOf(await redeem(after, started, { device_name: 'x' }, withKey(KEY)));
    expect(second).toEqual(first);
    expect((await after.get('/user', bearer(second.token))).statusCode).toBe(200);
  });

  it('reads the user anew', async () => {
    const started = await startCompleted(service());
    const first = issuedOf(await redeemWith(started, KEY));
    const later = await startPhone(service(), undefined, 'ar');
    await complete(service(), later);
    const second = issuedOf(await redeemWith(started, KEY));
    expect(second.token).toBe(first.token);
    expect([first.user.name, second.user.name]).toEqual([
      'Amal Salem Nasser Alnamuthaji',
      'أمل سالم ناصر النموذجي',
    ]);
  });

  it('repeats the completion code as well', async () => {
    const started = await startRedirect(service());
    const completion_code = await approveInBrowser(service(), started);
    const first = await redeemWith(started, KEY, { completion_code });
    expect(issuedOf(await redeemWith(started, KEY, { completion_code }))).toEqual(issuedOf(first));
    expectProblem(await redeemWith(started, KEY), 'idempotency.mismatch');
  });

  it('is 409 once the token was revoked', async () => {
    const started = await startCompleted(service());
    const { token } = issuedOf(await redeemWith(started, KEY));
    await service().remove('/token', bearer(token));
    expectProblem(await redeemWith(started, KEY), 'attempt.already_redeemed');
  });

  it('needs the attempt token still', async () => {
    const started = await startCompleted(service());
    await redeemWith(started, KEY);
    const guess = { attempt_id: started.attempt_id, attempt_token: 'x'.repeat(64) };
    const answer = await redeem(service(), guess, {}, withKey(KEY));
    expectProblem(answer, 'attempt.not_found');
  });
});

describe('the same key with another body', () => {
  it.each<[string, Json, Json]>([
    ['another device', { device_name: 'a' }, { device_name: 'b' }],
    ['a device more', {}, { device_name: '' }],
    ['a device less', { device_name: '' }, {}],
    ['a code more', {}, { completion_code: 'x' }],
  ])('is 422: %s', async (_, first, second) => {
    const started = await startCompleted(service());
    const { token } = issuedOf(await redeemWith(started, KEY, first));
    expectProblem(await redeemWith(started, KEY, second), 'idempotency.mismatch');
    expect(issuedOf(await redeemWith(started, KEY, first)).token).toBe(token);
  });
});

describe('another key', () => {
  it('is 409, and the fifth closes the window for the right one too', async () => {
    const [four, five] = [await startCompleted(service()), await startCompleted(service())];
    for (const [started, count] of [
      [four, 4],
      [five, 5],
    ] as const) {
      await redeemWith(started, KEY);
      for (let guess = 0; guess < count; guess += 1) {
        const answer = await redeemWith(started, `${KEY}-${guess}`);
        expectProblem(answer, 'attempt.already_redeemed');
      }
    }
    expect((await redeemWith(four, KEY)).statusCode).toBe(200);
    expectProblem(await redeemWith(five, KEY), 'attempt.already_redeemed');
  });

  it('is a guess also in other letters', async () => {
    const started = await startCompleted(service());
    await redeemWith(started, KEY);
    expectProblem(await redeemWith(started, KEY.toUpperCase()), 'attempt.already_redeemed');
  });

  it('may be the key of another attempt: keys are apart by attempt', async () => {
    const [first, second] = [await startCompleted(service()), await startCompleted(service())];
    const tokens = [first, second].map(async (one) => issuedOf(await redeemWith(one, KEY)).token);
    expect(new Set(await Promise.all(tokens)).size).toBe(2);
  });
});

describe('no key', () => {
  it('is 409 the second time, and no guess', async () => {
    const started = await startCompleted(service());
    const { token } = issuedOf(await redeemWith(started, KEY));
    for (let count = 0; count < 6; count += 1) {
      expectProblem(await redeem(service(), started), 'attempt.already_redeemed');
    }
    expect(issuedOf(await redeemWith(started, KEY)).token).toBe(token);
  });

  it('the first time leaves nothing to repeat', async () => {
    const started = await startCompleted(service());
    await redeem(service(), started);
    expectProblem(await redeemWith(started, KEY), 'attempt.already_redeemed');
  });
});

describe('the form of a key', () => {
  it.each([
    ['22 characters', KEY],
    ['255 characters', 'k'.repeat(255)],
    ['a UUID', 'a9c6b6a2-3a0f-4a53-9b65-0f3c1b7a4a10'],
    ['all that is visible', '!"#$%&\'()*+,-./:;<=>?@[]^_`{|}~'],
  ])('may be %s', async (_, key) => {
    expect((await redeemWith(await startCompleted(service()), key)).statusCode).toBe(200);
  });

  it.each([
    ['21 characters', KEY.slice(1)],
    ['256 characters', 'k'.repeat(256)],
    ['nothing', ''],
    ['words', 'a key of several words that is long'],
    ['letters outside ASCII', 'ÿ'.repeat(22)],
  ])('may not be %s: 422, named, and nothing is redeemed', async (_, key) => {
    const started = await startCompleted(service());
    const problem = expectProblem(await redeemWith(started, key), 'validation.failed');
    expect(problem.errors).toEqual({
      'Idempotency-Key': [
        expect.stringMatching(/^The Idempotency-Key header format is invalid: use 22 to 255 /),
      ],
    });
    expect((await redeem(service(), started)).statusCode).toBe(200);
  });
});

describe('a refused request', () => {
  it('binds its key to nothing: the same key may come with the right request later', async () => {
    const started = await startPhone(service());
    expectProblem(await redeemWith(started, KEY, { device_name: 'a' }), 'attempt.pending');
    await complete(service(), started);
    expect((await redeemWith(started, KEY, { device_name: 'b' })).statusCode).toBe(200);
  });
});

const MANY = 64;
const countOf = (answers: readonly Answer[], status: number) =>
  answers.filter(({ statusCode }) => statusCode === status).length;

describe('many at the same time', () => {
  it('without a key: one token, and 409 for all others', async () => {
    for (let round = 0; round < 5; round += 1) {
      const started = await startCompleted(service(), round % 2 === 0 ? 'phone' : 'redirect');
      const answers = await Promise.all(
        Array.from({ length: MANY }, () => redeem(service(), started)),
      );
      expect([countOf(answers, 200), countOf(answers, 409)]).toEqual([1, MANY - 1]);
    }
  });

  it('with the same key and body: the same token for all', async () => {
    const started = await startCompleted(service());
    const answers = await Promise.all(
      Array.from({ length: MANY }, () => redeemWith(started, KEY, { device_name: 'x' })),
    );
    expect(countOf(answers, 200)).toBe(MANY);
    expect(new Set(answers.map((answer) => issuedOf(answer).token)).size).toBe(1);
  });

  it('with keys of their own: one token, and 409 for all others', async () => {
    const started = await startCompleted(service());
    const answers = await Promise.all(
      Array.from({ length: MANY }, (_, at) => redeemWith(started, `${KEY}${at}`)),
    );
    expect([countOf(answers, 200), countOf(answers, 409)]).toEqual([1, MANY - 1]);
  });

  it('with the same key and other bodies: one token, and 422 for all others', async () => {
    const started = await startCompleted(service());
    const answers = await Promise.all(
      Array.from({ length: MANY }, (_, at) => redeemWith(started, KEY, { device_name: `${at}` })),
    );
    expect([countOf(answers, 200), countOf(answers, 422)]).toEqual([1, MANY - 1]);
  });

  it('with wrong completion codes among them: never more than one token', async () => {
    const started = await startRedirect(service());
    const completion_code = await approveInBrowser(service(), started);
    const answers = await Promise.all(
      Array.from({ length: MANY }, (_, at) =>
        redeem(service(), started, { completion_code: at % 2 === 0 ? completion_code : 'wrong' }),
      ),
    );
    expect(countOf(answers, 200)).toBeLessThanOrEqual(1);
    expect(countOf(answers, 200) + countOf(answers, 409)).toBe(MANY);
  });
});
