import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/values/time.ts';
import type { LiveClient, Started } from '../support/live/live-client.ts';
import { shareOpened } from '../support/live/live-service.ts';
import { bringPush } from '../support/live/steps.ts';

/** Each test uses days of its own, so that no budget of another test matters. */
const scene = shareOpened({ settings: { TRUSTED_PROXIES: '127.0.0.1' } });

let people = 0;
function somebody(): string {
  scene().clock.advance(25 * HOUR_MS);
  return String(1_089_100_000 + (people += 1));
}

function pushesTo(person: string): number {
  const { provider } = scene();
  return provider.received('push').filter(({ body }) => body.includes(person)).length;
}

function from(index: number) {
  const address = `203.0.113.${index % 250}`;
  return { 'x-end-user-address': address, 'x-forwarded-for': address };
}

/** A start that is cancelled as soon as it is answered, if it is let in. */
async function startAndCancel(client: LiveClient, person: string, index: number): Promise<boolean> {
  const answer = await client.start({ national_id: person }, from(index));
  if (answer.status !== 200) return false;
  const cancelled = await client.cancel(answer.data as unknown as Started, from(index));
  expect(cancelled.status).toBe(204);
  return true;
}

/** Starts that are cancelled, by a back end and by a public client in turn. */
async function loop(person: string, count: number, pauseMs: number): Promise<void> {
  const { anybody, bank, clock } = scene();
  for (let index = 0; index < count; index += 1) {
    await startAndCancel(index % 2 === 0 ? bank : anybody, person, index);
    clock.advance(pauseMs);
  }
}

describe('threat 110: starts that are cancelled, to send one person more prompts', () => {
  it('100 of two clients in ten minutes reach the phone three times', async () => {
    const person = somebody();
    await loop(person, 100, 5 * SECOND_MS);
    expect(pushesTo(person)).toBe(3);
  });

  it('100 of them in a day reach it ten times', async () => {
    const person = somebody();
    await loop(person, 100, 14 * MINUTE_MS);
    expect(pushesTo(person)).toBe(10);
  });

  it('the next start is let in at once, and the one after three is not', async () => {
    const { bank } = scene();
    const person = somebody();
    const first = await bank.start({ national_id: person }, from(1));
    expect((await bank.start({ national_id: person }, from(2))).code).toBe('push.budget_spent');
    await bank.cancel(first.data as unknown as Started, from(1));
    expect(await startAndCancel(bank, person, 3)).toBe(true);
    expect(await startAndCancel(bank, person, 4)).toBe(true);
    expect(await startAndCancel(bank, person, 5)).toBe(false);
  });

  it('a refusal by the person is none of the application’s cancellations: nothing comes after it', async () => {
    const { bank, provider } = scene();
    const person = somebody();
    const { attempt_id } = await bank.startPhone(person);
    const refusal = provider.phoneToken(attempt_id, { status: 'REJECTED' });
    await bringPush(scene(), provider.message(attempt_id, refusal));
    expect(await startAndCancel(bank, person, 1)).toBe(false);
  });

  it.each(['COMPLETED', 'REJECTED', 'EXPIRED'])(
    'an answer of the phone that comes later, %s, is taken and changes nothing',
    async (status) => {
      const { bank, provider } = scene();
      const started = await bank.startPhone(somebody());
      await bank.cancel(started);
      const token = provider.phoneToken(started.attempt_id, { status });
      const message = provider.message(started.attempt_id, token);
      expect((await bringPush(scene(), message)).status).toBe(200);
      expect((await bank.status(started)).data).toMatchObject({
        status: 'rejected',
        message: 'The sign-in was cancelled.',
        user: null,
      });
      for (const asked of [await bank.redeem(started), await bank.confirm(started)]) {
        expect(asked.code).toBe('attempt.cancelled');
      }
    },
  );

  it('nobody else can cancel: not with the token alone, nor with the key of another client', async () => {
    const { anybody, bank, clinic, shop } = scene();
    const started = await bank.startPhone(somebody());
    for (const other of [anybody, clinic, shop]) {
      expect((await other.cancel(started)).code).toBe('attempt.not_found');
    }
    expect((await bank.status(started)).data['status']).toBe('pending');
  });
});
