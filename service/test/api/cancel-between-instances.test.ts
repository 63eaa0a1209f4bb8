import { describe, expect, it } from 'vitest';
import { share } from '../support/at-end.ts';
import { emptyDatabase } from '../support/postgres/databases.ts';
import {
  cancel,
  complete,
  readStatus,
  redeem,
  startCompleted,
  startPhone,
  startRedirect,
} from '../support/service/login.ts';
import { openTestService, type Answer } from '../support/service/test-service.ts';

const ROUNDS = 30;

/** Two instances on one database. */
const opened = share(async (atEnd) => {
  const url = await emptyDatabase(atEnd);
  const settings = { SECRET_KEY: 'cd'.repeat(32), RATE_LIMITS: 'off', DATABASE_URL: url };
  const one = await openTestService({ settings, atEnd });
  const other = await openTestService({ settings, atEnd });
  return { one, other };
});

/** In another order in each round, because the first one usually wins. */
function atOnce(round: number, ways: readonly (() => Promise<Answer>)[]): Promise<Answer[]> {
  const isTurned = round % 2 === 1;
  const started = (isTurned ? ways.toReversed() : ways).map((way) => way());
  return Promise.all(isTurned ? started.toReversed() : started);
}

const statusOf = (answer: Answer | undefined) => answer?.statusCode;

describe('a cancel at one instance, and at another', () => {
  it('a redemption: one of them is done, and the other one is told so', async () => {
    const { one, other } = opened();
    for (let round = 0; round < ROUNDS; round += 1) {
      const started = await startCompleted(one);
      const [cancelled, redeemed] = await atOnce(round, [
        () => cancel(one, started),
        () => redeem(other, started),
      ]);
      const pair = `${statusOf(cancelled)} ${statusOf(redeemed)}`;
      expect(['204 409', '409 200']).toContain(pair);
      const isCancelled = statusOf(cancelled) === 204;
      expect(statusOf(await redeem(one, started))).toBe(409);
      expect(statusOf(await cancel(other, started))).toBe(isCancelled ? 204 : 409);
    }
  });

  it.each([
    ['phone', startPhone],
    ['redirect', startRedirect],
  ])('an approval in the %s flow: nothing is left to redeem', async (_, start) => {
    const { one, other } = opened();
    for (let round = 0; round < ROUNDS; round += 1) {
      const started = await start(one);
      const [cancelled, completed] = await atOnce(round, [
        () => cancel(one, started),
        () => complete(other, started),
      ]);
      expect(statusOf(cancelled)).toBe(204);
      expect([200, 409]).toContain(statusOf(completed));
      expect(statusOf(await redeem(other, started))).toBe(409);
      expect((await readStatus(one, started)).json()).toMatchObject({
        data: { status: 'rejected', token_ready: false, user: null },
      });
    }
  });
});
