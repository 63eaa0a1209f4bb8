import { expect, describe, it } from 'vitest';
import { ATTEMPT_LIFETIME_MS } from '../../src/attempt/attempt.ts';
import {
  AMAL,
  cancel,
  complete,
  dataOf,
  FAISAL,
  issuedOf,
  readStatus,
  redeem,
  startCompleted,
  startedOf,
  startPhone,
  startRedirect,
  statusOf,
  type Started,
} from '../support/service/login.ts';
import { KEY, STRICT } from '../support/service/strict-login.ts';
import {
  openTestService,
  shareService,
  type Answer,
  type TestService,
} from '../support/service/test-service.ts';
import { statusesIn, until, watch } from '../support/service/watch-status.ts';

const service = shareService();

/** The code of an error; empty for another answer. */
function codeOf(answer: Answer): string {
  return answer.statusCode < 400 ? '' : answer.json<{ code: string }>().code;
}

async function promptsOf({ app }: TestService, { attempt_id }: Started): Promise<number> {
  const listed = await app.inject(`/simulator/prompts?request_id=${attempt_id}`);
  return listed.json<{ data: unknown[] }>().data.length;
}

describe('DELETE /attempts/{attempt_id}', () => {
  it.each([
    ['phone', startPhone],
    ['redirect', startRedirect],
  ])('ends a pending attempt of the %s flow, and says so', async (_, start) => {
    const started = await start(service());
    const answer = await cancel(service(), started);
    expect([answer.statusCode, answer.payload]).toEqual([204, '']);
    expect(dataOf(await readStatus(service(), started))).toMatchObject({
      status: 'rejected',
      provider_status: 'REJECTED',
      message: 'The sign-in was cancelled.',
      token_ready: false,
      user: null,
    });
    expect(codeOf(await complete(service(), started))).toBe('attempt.cancelled');
    expect(codeOf(await redeem(service(), started))).toBe('attempt.cancelled');
  });

  it('ends one that nobody has redeemed, and forgets who approved it', async () => {
    const started = await startCompleted(service());
    expect((await cancel(service(), started)).statusCode).toBe(204);
    expect(codeOf(await redeem(service(), started))).toBe('attempt.cancelled');
    expect(dataOf(await readStatus(service(), started))).toMatchObject({ user: null });
  });

  it('is not called a refusal on the pages of the browser', async () => {
    const started = await startRedirect(service());
    const { attempt_id } = started;
    await cancel(service(), started);
    const query = new URLSearchParams({ state: attempt_id, locale: 'en' });
    const opened = await service().get(`/callback?${query}`);
    const { app } = service();
    const back = await app.inject(`/dashboard?attempt_id=${attempt_id}&locale=en`);
    for (const page of [opened, back]) expect(page.payload).toContain('The request was cancelled');
    const decided = await app.inject({
      method: 'POST',
      url: '/api/v1/callback/sign-in',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: `state=${attempt_id}&decision=approve&person=amal`,
    });
    expect([decided.statusCode, decided.payload]).toEqual([
      409,
      expect.stringContaining('was cancelled'),
    ]);
  });

  it('is 204 again when it is repeated, also after the expiry', async () => {
    const own = await openTestService();
    const started = await startPhone(own);
    for (const _ of [1, 2]) expect((await cancel(own, started)).statusCode).toBe(204);
    own.clock.advance(ATTEMPT_LIFETIME_MS);
    expect((await cancel(own, started)).statusCode).toBe(204);
  });

  it('leaves one that was redeemed, and its token', async () => {
    const started = await startCompleted(service());
    const { token } = issuedOf(await redeem(service(), started));
    expect(codeOf(await cancel(service(), started))).toBe('attempt.already_redeemed');
    const user = await service().get('/user', { authorization: `Bearer ${token}` });
    expect(user.statusCode).toBe(200);
  });

  it('says of an attempt that has ended how it has', async () => {
    const own = await openTestService();
    const refused = await startPhone(own, '1900000010');
    await readStatus(own, refused);
    expect(codeOf(await cancel(own, refused))).toBe('attempt.rejected');
    const failed = await startPhone(own, '1900000053');
    await readStatus(own, failed);
    expect(codeOf(await cancel(own, failed))).toBe('attempt.failed');
    const late = await startPhone(own);
    own.clock.advance(ATTEMPT_LIFETIME_MS);
    expect(codeOf(await cancel(own, late))).toBe('attempt.expired');
  });

  it('wants the attempt token, and answers every wrong one alike', async () => {
    const started = await startPhone(service());
    const without = await service().remove(`/attempts/${started.attempt_id}`);
    expect(codeOf(without)).toBe('attempt.token_missing');
    for (const wrong of [
      { ...started, attempt_token: 'wrong' },
      { ...started, attempt_id: 'unknown' },
      { ...(await startPhone(service())), attempt_token: started.attempt_token },
    ]) {
      expect(codeOf(await cancel(service(), wrong))).toBe('attempt.not_found');
    }
    expect(await statusOf(service(), started)).toBe('pending');
  });

  it('answers those who wait for the attempt at once', async () => {
    const own = await openTestService();
    await own.app.listen({ host: '127.0.0.1', port: 0 });
    const started = await startPhone(own);
    const stream = await watch(own, started);
    await until(() => statusesIn(stream.text()).length === 1);
    await cancel(own, started);
    await until(() => statusesIn(stream.text()).length === 2);
    expect(statusesIn(stream.text())).toEqual(['pending', 'rejected']);
  });

  it('takes the prompt from the phone', async () => {
    const started = await startPhone(service(), FAISAL);
    expect(await promptsOf(service(), started)).toBe(1);
    await cancel(service(), started);
    expect(await promptsOf(service(), started)).toBe(0);
  });
});

describe('DELETE /attempts/{attempt_id} in strict mode', () => {
  it('takes the prompt from the phone, and lets the next start in', async () => {
    const strict = await openTestService({ settings: { ...STRICT, BUDGETS: 'on' } });
    const start = () => strict.post('/start', { national_id: AMAL, locale: 'en' }, KEY);
    const first = startedOf(await start());
    expect(codeOf(await start())).toBe('push.budget_spent');
    expect(await promptsOf(strict, first)).toBe(1);
    expect((await cancel(strict, first, KEY)).statusCode).toBe(204);
    expect(await promptsOf(strict, first)).toBe(0);
    expect(await promptsOf(strict, startedOf(await start()))).toBe(1);
  });

  it('wants the key that started it', async () => {
    const strict = await openTestService({ settings: STRICT });
    const started = startedOf(await strict.post('/start', { locale: 'en' }, KEY));
    for (const headers of [{}, { authorization: 'Bearer mfk_test_of_nobody' }]) {
      expect(codeOf(await cancel(strict, started, headers))).toBe('attempt.not_found');
    }
    expect((await cancel(strict, started, KEY)).statusCode).toBe(204);
  });
});
