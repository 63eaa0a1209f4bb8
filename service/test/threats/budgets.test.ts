import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/values/time.ts';
import type { Answer, LiveClient } from '../support/live/live-client.ts';
import { record, text } from '../support/provider/area-b.ts';
import { DatabaseCopy } from '../support/attacks/database-copy.ts';
import { shareOpened } from '../support/live/live-service.ts';
import { bringPush, signedIn, wordsOf } from '../support/live/steps.ts';

/** Each test uses an hour of its own, so that no budget of another test matters. */
const scene = shareOpened({ settings: { TRUSTED_PROXIES: '127.0.0.1' } });

let people = 0;
function somebody(): string {
  scene().clock.advance(HOUR_MS);
  return String(1_087_200_000 + (people += 1));
}

function pushesTo(person: string): number {
  const { provider } = scene();
  return provider.received('push').filter(({ body }) => body.includes(person)).length;
}

/** A start from one of many addresses, named by both a back end's header and a proxy's. */
function startFrom(index: number, client: LiveClient, person: string): Promise<Answer> {
  const address = `203.0.113.${index}`;
  const headers = { 'x-end-user-address': address, 'x-forwarded-for': address };
  return client.start({ national_id: person }, headers);
}

/** Fifty starts for one person, by a back end and by a public client, each from another address. */
async function bombard(person: string): Promise<readonly Answer[]> {
  const { anybody, bank } = scene();
  const answers: Answer[] = [];
  for (let index = 0; index < 50; index += 1) {
    const client = index % 2 === 0 ? bank : anybody;
    answers.push(await startFrom(index, client, person));
  }
  return answers;
}

const refusedOf = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 429);

describe('threat 6: push bombing', () => {
  it('50 starts from 50 addresses and two clients reach a phone once, while it waits', async () => {
    const person = somebody();
    const answers = await bombard(person);
    expect(pushesTo(person)).toBe(1);
    expect(refusedOf(answers)).toHaveLength(49);
  });

  it('racing starts reach it once as well', async () => {
    const { bank, anybody } = scene();
    const person = somebody();
    const racers = Array.from({ length: 20 }, (_, index) =>
      startFrom(index, index % 2 === 0 ? bank : anybody, person),
    );
    expect(refusedOf(await Promise.all(racers))).toHaveLength(19);
    expect(pushesTo(person)).toBe(1);
  });

  it('pushes that nobody answers: three in ten minutes, ten in a day', async () => {
    const { bank, clock } = scene();
    const person = somebody();
    const perRound = [];
    for (let round = 0; round < 5; round += 1) {
      const before = pushesTo(person);
      for (let minute = 0; minute < 5; minute += 1) {
        await bank.start({ national_id: person });
        clock.advance(MINUTE_MS);
      }
      perRound.push(pushesTo(person) - before);
      clock.advance(10 * MINUTE_MS);
    }
    expect(perRound).toEqual([3, 3, 3, 1, 0]);
  });

  it('an unknown number spends alike, and is refused in the same words', async () => {
    const { provider } = scene();
    const known = somebody();
    const [, refused] = await bombard(known);
    const unknown = somebody();
    provider.answer('push', record('422-016-023'));
    const answers = await bombard(unknown);
    expect(pushesTo(unknown)).toBe(3);
    expect(answers.slice(0, 3).map(({ code }) => code)).toEqual(
      Array.from({ length: 3 }, () => 'provider.record_not_found'),
    );
    const words = new Set(answers.slice(3).map(wordsOf));
    expect([...words]).toEqual([refused === undefined ? '' : wordsOf(refused)]);
    expect(refused?.code).toBe('push.budget_spent');
    expect(refused?.text).not.toMatch(/random|attempt_id|attempt_token/);
    expect(answers[3]?.headers.get('retry-after')).toBe(refused?.headers.get('retry-after'));
  });

  it('says the same when the provider has a push of somebody else open', async () => {
    const { bank, provider } = scene();
    const answer = record('400-034-050');
    provider.answer('push', answer);
    const refused = await bank.start({ national_id: somebody() });
    expect([refused.status, refused.code]).toEqual([429, 'push.budget_spent']);
    expect(refused.text).not.toMatch(/random|attempt_id|attempt_token|"07"/);
  });
});

describe('threat 9: lock-out by an outage', () => {
  it('pushes that could not be sent are spent by nobody', async () => {
    const { bank, clock, provider } = scene();
    const person = somebody();
    provider.answer('push', text('down', 503));
    for (let count = 0; count < 5; count += 1) {
      expect((await bank.start({ national_id: somebody() })).status).toBe(503);
    }
    // The circuit breaker is open, so these calls do not reach the provider.
    for (let count = 0; count < 4; count += 1) {
      expect((await bank.start({ national_id: person })).status).toBe(503);
    }
    expect(pushesTo(person)).toBe(0);
    provider.answer('push', provider.honest('push'));
    clock.advance(10 * SECOND_MS);
    expect((await bank.start({ national_id: person })).status).toBe(200);
  });
});

describe('threat 7: bulk approval fishing', () => {
  it('130 people (for 1,000) from one client in a minute: 120 pushes, the next minute more', async () => {
    const { bank, clinic, clock, provider } = scene();
    somebody();
    const before = provider.received('push').length;
    const starts = Array.from({ length: 130 }, (_, index) =>
      bank.start({ national_id: String(1_087_300_000 + index) }),
    );
    const answers = await Promise.all(starts);
    expect(provider.received('push').length - before).toBe(120);
    const refused = refusedOf(answers);
    expect(refused).toHaveLength(10);
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['push.budget_spent']));
    // It uses up nobody else's budget.
    expect((await clinic.start({ national_id: somebody() })).status).toBe(200);
    clock.advance(MINUTE_MS);
    expect((await bank.start({ national_id: somebody() })).status).toBe(200);
  });

  it('what is held back fills no audit log: a row at once, and one with the number of the rest', async () => {
    const person = somebody();
    await bombard(person);
    const { bank, clock } = scene();
    clock.advance(MINUTE_MS);
    const later = [];
    for (let count = 0; count < 2; count += 1) {
      later.push((await bank.start({ national_id: person })).status);
    }
    expect(later).toEqual([200, 429]);
    using copy = new DatabaseCopy(scene());
    const rows = copy.all(
      "SELECT client, count FROM audit_log WHERE action = 'push.suppressed' AND at > ? ORDER BY 2, 1",
      clock.now() - 2 * MINUTE_MS,
    );
    expect(rows).toEqual([
      { client: 'bank', count: null },
      { client: 'bank', count: null },
      { client: 'shop', count: null },
      { client: 'bank', count: 23 },
      { client: 'shop', count: 24 },
    ]);
  });
});

describe('threat 8: vishing with the number', () => {
  it.each(['by its word', 'by a signed message'])('a refusal %s cools down', async (how) => {
    const { bank, clinic, clock, provider } = scene();
    const person = somebody();
    const started = await bank.startPhone(person);
    const { attempt_id: id } = started;
    const refusal = provider.phoneToken(id, { status: 'REJECTED' });
    if (how === 'by its word') provider.push(id).status = 'REJECTED';
    else await bringPush(scene(), provider.message(id, refusal));
    expect((await bank.status(started)).data).toMatchObject({ status: 'rejected', user: null });
    clock.advance(2 * MINUTE_MS - 1);
    for (const client of [bank, clinic]) {
      expect((await client.start({ national_id: person })).code).toBe('push.budget_spent');
    }
    expect(pushesTo(person)).toBe(1);
    clock.advance(1);
    expect((await bank.start({ national_id: person })).status).toBe(200);
    expect(pushesTo(person)).toBe(2);
  });
});

describe('threat 9: lock-out by the limits', () => {
  it('a sign-in by browser is never budgeted, and gives the phone back', async () => {
    const { bank } = scene();
    const person = somebody();
    await bombard(person);
    expect((await bank.start({ national_id: person })).status).toBe(429);
    const started = await bank.startRedirect();
    const code = await signedIn(scene(), started, { nin: person, sub: person });
    expect((await bank.redeem(started, { completion_code: code })).status).toBe(200);
    expect((await bank.start({ national_id: person })).status).toBe(200);
    expect(pushesTo(person)).toBe(2);
  });

  it('the sign-in of another person gives nothing back', async () => {
    const { bank } = scene();
    const person = somebody();
    await bombard(person);
    await signedIn(scene(), await bank.startRedirect());
    expect((await bank.start({ national_id: person })).status).toBe(429);
  });
});

describe('threat 21: trying out national ids', () => {
  it('30 unknown numbers of one client in a minute: the provider is asked for 20', async () => {
    const { bank, clinic, clock, provider } = scene();
    provider.answer('push', record('422-016-023'));
    const numbers = Array.from({ length: 30 }, (_, index) => String(1_087_400_000 + index));
    somebody();
    const answers = [];
    for (const [index, person] of numbers.entries()) {
      answers.push(await startFrom(index, bank, person));
    }
    expect(numbers.filter((person) => pushesTo(person) > 0)).toHaveLength(20);
    expect(answers.slice(20).map(({ status, code }) => `${status} ${code}`)).toEqual(
      Array.from({ length: 10 }, () => '429 push.budget_spent'),
    );
    // A known number is refused too, so the refusal reveals nothing; other clients are not
    // affected.
    provider.answer('push', provider.honest('push'));
    const known = await startFrom(31, bank, '1087400999');
    expect(wordsOf(known)).toBe(wordsOf(answers.at(-1) ?? known));
    expect((await clinic.start({ national_id: '1087400998' })).status).toBe(200);
    clock.advance(MINUTE_MS);
    expect((await bank.start({ national_id: '1087400997' })).status).toBe(200);
  });
});

describe('threat 1, with time: an approval without its proof', () => {
  it('fails 30 seconds after it was first seen, and a late proof revives nothing', async () => {
    const { bank, clock, provider } = scene();
    const started = await bank.startPhone(somebody());
    const { attempt_id: id } = started;
    provider.push(id).status = 'COMPLETED';
    expect((await bank.status(started)).data).toMatchObject({ status: 'pending', user: null });
    clock.advance(30 * SECOND_MS - 1);
    expect((await bank.redeem(started)).code).toBe('attempt.pending');
    clock.advance(1);
    const late = await bringPush(scene(), provider.message(id));
    expect(late.status).toBe(200);
    expect((await bank.status(started)).data).toMatchObject({ status: 'failed', user: null });
    expect((await bank.redeem(started)).code).toBe('attempt.failed');
  });
});
