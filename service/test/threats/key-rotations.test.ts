import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/values/time.ts';
import type { Started } from '../support/live/live-client.ts';
import { shareOpened } from '../support/live/live-service.ts';
import { resultOf, rotateTwice, signedBy, somebody, statusOf } from '../support/live/rotations.ts';
import { bringPush, codeOf, comeBack, exchangesOf, launched } from '../support/live/steps.ts';

const scene = shareOpened();

const result = (started: Started, kid: string) =>
  bringPush(scene(), resultOf(scene(), started, kid));
const statusNow = (started: Started) => statusOf(scene(), started);

async function rotated(): Promise<void> {
  const { clock } = scene();
  // Past the freshness of the keys, which are then read anew without a pause.
  clock.advance(HOUR_MS);
  await rotateTwice(scene(), () => clock.advance(SECOND_MS));
}

/** What the store has kept of an attempt, as it is on the disk. */
function keptOf({ attempt_id: id }: Started): unknown {
  const database = new DatabaseSync(join(scene().dataDir, 'miftah.db'), { readOnly: true });
  const row = database
    .prepare('SELECT kept_tokens FROM provider_transactions WHERE attempt_id = ?')
    .get(id);
  database.close();
  return row?.['kept_tokens'];
}

/** A sign-in by browser that the provider has approved, with a token of the key `second`. */
async function approved() {
  const { bank, provider } = scene();
  await rotated();
  const started = await bank.startRedirect();
  const { attempt_id: id } = started;
  const browser = await launched(started);
  provider.tell(id, signedBy(scene(), 'second', provider.redirectClaims(id)));
  return { started, browser };
}

describe('threat 108: two rotations within the pause between two reads of the keys', () => {
  it('a browser that returns waits, and is signed in by itself', async () => {
    const { bank, clock } = scene();
    const { started, browser } = await approved();
    const waits = await comeBack(scene(), started, browser);
    expect([waits.status, waits.location]).toEqual([503, null]);
    const seconds = Number(waits.headers.get('refresh'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(30);
    expect(waits.headers.get('retry-after')).toBe(String(seconds));
    expect(await statusNow(started)).toBe('pending');
    // The page in the other language waits likewise.
    expect((await browser.switchLanguage(waits)).status).toBe(503);
    clock.advance(seconds * SECOND_MS);
    const code = codeOf(await comeBack(scene(), started, browser));
    expect((await bank.redeem(started, { completion_code: code })).status).toBe(200);
    expect(exchangesOf(scene(), started)).toBe(1);
  });

  it('a return in another browser still ends the attempt', async () => {
    const { bank, clock } = scene();
    const { started, browser } = await approved();
    expect((await comeBack(scene(), started, browser)).status).toBe(503);
    const stranger = await launched(await bank.startRedirect());
    expect((await comeBack(scene(), started, stranger)).status).toBe(403);
    clock.advance(30 * SECOND_MS);
    expect((await comeBack(scene(), started, browser)).status).toBe(403);
  });

  it('the result of a push is asked for again, and kept', async () => {
    const { bank, clock } = scene();
    await rotated();
    const started = await bank.startPhone(somebody());
    const answer = await result(started, 'second');
    expect([answer.status, answer.code]).toEqual([503, 'provider.unavailable']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await statusNow(started)).toBe('pending');
    clock.advance(30 * SECOND_MS);
    await expect.poll(() => statusNow(started)).toBe('authenticated');
  });

  it('a result that nobody signed is forgotten, asks for no more keys, and keeps none out', async () => {
    const { bank, clock, provider } = scene();
    await rotated();
    const before = provider.received('keys').length;
    const started = await bank.startPhone(somebody());
    for (let count = 0; count < 10; count += 1) {
      expect((await result(started, `forged-${count}`)).status).toBe(503);
    }
    expect(await statusNow(started)).toBe('pending');
    expect(provider.received('keys')).toHaveLength(before);
    // One whose key is known is not kept waiting by them.
    const other = await bank.startPhone(somebody());
    expect((await result(other, 'forged')).status).toBe(503);
    expect((await result(other, 'first')).status).toBe(200);
    expect(await statusNow(other)).toBe('authenticated');
    clock.advance(30 * SECOND_MS);
    await expect.poll(() => provider.received('keys').length).toBe(before + 1);
    expect(await statusNow(started)).toBe('pending');
    expect((await bank.redeem(started)).code).toBe('attempt.pending');
    expect((await result(started, 'second')).status).toBe(200);
    expect(await statusNow(started)).toBe('authenticated');
  });

  it('what came first keeps its place, whatever is sent after it, and is sealed on the disk', async () => {
    const { bank, clock } = scene();
    await rotated();
    const started = await bank.startPhone(somebody());
    const genuine = resultOf(scene(), started, 'second');
    expect((await bringPush(scene(), genuine)).status).toBe(503);
    const alone = keptOf(started);
    for (let count = 0; count < 10; count += 1) await result(started, `forged-${count}`);
    const full = keptOf(started);
    // Four at most.
    expect(String(full).length).toBeLessThan(String(alone).length * 5);
    expect(String(full)).not.toContain(genuine.token.slice(0, 40));
    clock.advance(30 * SECOND_MS);
    await expect.poll(() => statusNow(started)).toBe('authenticated');
    expect(keptOf(started)).toBeNull();
    expect(scene().log()).not.toContain(genuine.token.slice(0, 200));
  });

  it('who does not know the transaction takes no place', async () => {
    const { bank } = scene();
    await rotated();
    const started = await bank.startPhone(somebody());
    const message = { ...resultOf(scene(), started, 'second'), transId: 'another' };
    expect((await bringPush(scene(), message)).code).toBe('push.unverified');
    expect(keptOf(started)).toBeNull();
  });

  it.each([
    ['cancelled', async (started: Started) => scene().bank.cancel(started), 'rejected'],
    ['too old', async () => scene().clock.advance(10 * MINUTE_MS), 'expired'],
  ])('nobody is signed in by the result of an attempt that is %s', async (_, end, status) => {
    const { bank, clock } = scene();
    await rotated();
    const started = await bank.startPhone(somebody());
    expect((await result(started, 'second')).status).toBe(503);
    expect(keptOf(started)).not.toBeNull();
    await end(started);
    await expect.poll(() => keptOf(started)).toBeNull();
    clock.advance(30 * SECOND_MS);
    expect((await result(started, 'second')).status).toBe(200);
    expect(await statusNow(started)).toBe(status);
  });

  it('of 1,000 forged results none makes the keys be read more often', async () => {
    const { bank, provider } = scene();
    await rotated();
    const before = provider.received('keys').length;
    const started = await Promise.all(Array.from({ length: 5 }, () => bank.startPhone(somebody())));
    for (let round = 0; round < 20; round += 1) {
      await Promise.all(
        started.flatMap((one) =>
          Array.from({ length: 10 }, (_, index) => result(one, `forged-${round}-${index}`)),
        ),
      );
    }
    expect(provider.received('keys')).toHaveLength(before);
  });

  it('a result whose key is known by now is not held up by an older push with forged ones', async () => {
    const { bank, clock, provider } = scene();
    await rotated();
    const older = await bank.startPhone(somebody());
    // Of one millisecond, either could be the first by its id.
    clock.advance(1);
    const younger = await bank.startPhone(somebody());
    expect((await result(younger, 'second')).status).toBe(503);
    // Less than the clocks of two instances may differ by before the keys may be read again.
    clock.advance(27 * SECOND_MS);
    expect((await result(older, 'forged-1')).status).toBe(503);
    expect((await result(older, 'forged-2')).status).toBe(503);
    const before = provider.received('keys').length;
    clock.advance(3 * SECOND_MS);
    await expect.poll(() => provider.received('keys').length).toBe(before + 1);
    await expect.poll(() => keptOf(younger)).toBeNull();
    expect(await statusNow(younger)).toBe('authenticated');
  });
});
