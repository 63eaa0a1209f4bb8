import { describe, expect, it } from 'vitest';
import type { Started } from '../support/live/live-client.ts';
import type { TokenCase } from '../support/provider/matrix/table.ts';
import { NATIONAL_ID, TRANSACTION_ID } from '../support/provider/provider-under-test.ts';
import { NONCE } from '../support/provider/session-answer.ts';
import { CREATED_AT } from '../support/provider/token-forge.ts';
import { NEGATIVES, POSITIVES } from '../support/provider/token-matrix.ts';
import { START_OF_TIME } from '../support/service/fake-clock.ts';
import { shareOpened } from '../support/live/live-service.ts';
import { bringPush, comeBack, launched } from '../support/live/steps.ts';

/** All tokens of the table have the same time, nonce and transaction. */
const scene = shareOpened({
  startsAt: CREATED_AT,
  pinned: { nonce: NONCE, transId: TRANSACTION_ID },
  // The table's tokens arrive two minutes after the start.
  settings: { PROVIDER_PUSH_LIFETIME: '200s' },
});
const AGE_MS = START_OF_TIME - CREATED_AT;

/** Every third row of a table; test/provider checks the driver with all of them. */
const thirdOf = <Row>(table: readonly Row[]) => table.filter((_, index) => index % 3 === 0);
const BY_BROWSER = thirdOf(NEGATIVES.filter(({ kind }) => kind === 'redirect'));
/** A genuine token about another person ends the attempt: that is threat 35. */
const BY_PHONE = NEGATIVES.filter(({ kind, reason }) => kind === 'phone' && reason !== 'mismatch');
/** The second code is for a validly signed token that identifies nobody. */
const REFUSALS = ['push.unverified', 'provider.bad_response'];
const positivesOf = (wanted: string) => POSITIVES.filter(({ kind }) => kind === wanted);

/** Starts two minutes before the tokens' time, then moves the clock to that time. */
async function atTheMoment<Result>(start: () => Promise<Result>): Promise<Result> {
  const { clock } = scene();
  clock.advance(CREATED_AT - clock.now());
  const result = await start();
  clock.advance(AGE_MS);
  return result;
}

async function exchanged({ make }: TokenCase) {
  const { clinic, bank, provider } = scene();
  const client = provider.received('session').length % 2 === 0 ? clinic : bank;
  const started = await atTheMoment(() => client.startRedirect({ locale: 'ar' }));
  const browser = await launched(started);
  provider.tell(started.attempt_id, make(provider.forge));
  const visit = await comeBack(scene(), started, browser);
  return { visit, status: (await client.status(started)).data };
}

describe('threat 31: faults of a token, by the exchange', () => {
  it('has a third of a table of more than a hundred', () => {
    expect(BY_BROWSER.length).toBeGreaterThanOrEqual(60);
    expect(BY_PHONE.length).toBeGreaterThanOrEqual(25);
  });

  it.each(positivesOf('redirect'))('accepted: $name', async (one) => {
    const { visit, status } = await exchanged(one);
    expect(visit.status, visit.html).toBe(303);
    expect(status).toMatchObject({ status: 'authenticated' });
  });

  it.each(BY_BROWSER)('refused: $name', async (one) => {
    const { visit, status } = await exchanged(one);
    expect([visit.status, visit.location]).toEqual([502, null]);
    expect(visit.html).toContain('provider.bad_response');
    expect(status).toMatchObject({ status: 'failed', user: null });
  });
});

describe('threat 31: faults of a token, by the push', () => {
  it('none of them is believed, and the right one is, on the same attempt', async () => {
    const { bank, provider } = scene();
    const started = await atTheMoment(() => bank.startPhone(NATIONAL_ID));
    const { attempt_id: id } = started;
    for (const { name, make } of BY_PHONE) {
      const answer = await bringPush(scene(), provider.message(id, make(provider.forge)));
      expect(REFUSALS, `${name}: ${answer.text}`).toContain(answer.code);
      expect((await bank.confirm(started)).code).toBe('attempt.pending');
    }
    await bringRight(started);
    expect((await bank.redeem(started)).status).toBe(200);
  });
});

async function bringRight({ attempt_id: id }: Started): Promise<void> {
  const { provider } = scene();
  const [right] = positivesOf('phone');
  if (right === undefined) throw new Error('the table has no right token');
  const answer = await bringPush(scene(), provider.message(id, right.make(provider.forge)));
  expect(answer.status, answer.text).toBe(200);
}
