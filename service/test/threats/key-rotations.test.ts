import { describe, expect, it } from 'vitest';
import { HOUR_MS, SECOND_MS } from '../../src/domain/time.ts';
import type { Started } from '../support/live/live-client.ts';
import { shareOpened } from '../support/live/live-service.ts';
import { bringPush, codeOf, comeBack, exchangesOf, launched } from '../support/live/steps.ts';
import { json } from '../support/provider/area-b.ts';

const scene = shareOpened();

let people = 0;
function somebody(): string {
  return String(1_088_100_000 + (people += 1));
}

/** From now on the provider has this one key. */
function rotateTo(kid: string): void {
  const { forge } = scene().provider;
  scene().provider.answer('keys', json({ keys: [forge.jwk(forge.foreign, { kid })] }));
}

function signedBy(kid: string, claims: object): string {
  const { forge } = scene().provider;
  const header = JSON.stringify({ alg: 'RS256', kid });
  return forge.signText(header, JSON.stringify(claims), forge.foreign.privateKey);
}

function result({ attempt_id: id }: Started, kid: string) {
  const { provider } = scene();
  return bringPush(scene(), provider.message(id, signedBy(kid, provider.phoneClaims(id))));
}

async function statusOf(started: Started): Promise<unknown> {
  return (await scene().bank.status(started)).data['status'];
}

/** Two rotations within the pause: after this, the key `second` can't be asked for. */
async function rotateTwice(): Promise<void> {
  const { bank, clock, provider } = scene();
  // Past the freshness of the keys, which are then read anew without a pause.
  clock.advance(HOUR_MS);
  provider.answer('keys', provider.honest('keys'));
  const known = await bank.startPhone(somebody());
  expect((await bringPush(scene(), provider.message(known.attempt_id))).status).toBe(200);
  clock.advance(SECOND_MS);
  rotateTo('first');
  const earlier = await bank.startPhone(somebody());
  expect((await result(earlier, 'first')).status).toBe(200);
  clock.advance(SECOND_MS);
  rotateTo('second');
}

describe('threat 108: two rotations within the pause between two reads of the keys', () => {
  it('a browser that returns waits, and is signed in by itself', async () => {
    const { bank, clock, provider } = scene();
    await rotateTwice();
    const started = await bank.startRedirect();
    const { attempt_id: id } = started;
    const browser = await launched(started);
    provider.tell(id, signedBy('second', provider.redirectClaims(id)));
    const waits = await comeBack(scene(), started, browser);
    expect([waits.status, waits.location]).toEqual([503, null]);
    const seconds = Number(waits.headers.get('refresh'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(30);
    expect(waits.headers.get('retry-after')).toBe(String(seconds));
    expect(await statusOf(started)).toBe('pending');
    expect((await comeBack(scene(), started, browser)).status).toBe(503);
    clock.advance(seconds * SECOND_MS);
    const code = codeOf(await comeBack(scene(), started, browser));
    expect((await bank.redeem(started, { completion_code: code })).status).toBe(200);
    expect(exchangesOf(scene(), started)).toBe(1);
  });

  it('a return in another browser still ends the attempt', async () => {
    const { bank, clock, provider } = scene();
    await rotateTwice();
    const started = await bank.startRedirect();
    const { attempt_id: id } = started;
    const browser = await launched(started);
    provider.tell(id, signedBy('second', provider.redirectClaims(id)));
    expect((await comeBack(scene(), started, browser)).status).toBe(503);
    const stranger = await launched(await bank.startRedirect());
    expect((await comeBack(scene(), started, stranger)).status).toBe(403);
    clock.advance(30 * SECOND_MS);
    expect((await comeBack(scene(), started, browser)).status).toBe(403);
  });

  it('the result of a push is asked for again, and kept', async () => {
    const { bank, clock } = scene();
    await rotateTwice();
    const started = await bank.startPhone(somebody());
    const answer = await result(started, 'second');
    expect([answer.status, answer.code]).toEqual([503, 'provider.unavailable']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await statusOf(started)).toBe('pending');
    clock.advance(30 * SECOND_MS);
    await expect.poll(() => statusOf(started)).toBe('authenticated');
  });

  it('a result that nobody signed is forgotten, asks for no more keys, and keeps none out', async () => {
    const { bank, clock, provider } = scene();
    await rotateTwice();
    const before = provider.received('keys').length;
    const started = await bank.startPhone(somebody());
    for (let count = 0; count < 10; count += 1) {
      expect((await result(started, `forged-${count}`)).status).toBe(503);
    }
    expect(await statusOf(started)).toBe('pending');
    expect(provider.received('keys')).toHaveLength(before);
    // One whose key is known is not kept waiting by them.
    const other = await bank.startPhone(somebody());
    expect((await result(other, 'forged')).status).toBe(503);
    expect((await result(other, 'first')).status).toBe(200);
    expect(await statusOf(other)).toBe('authenticated');
    clock.advance(30 * SECOND_MS);
    await expect.poll(() => provider.received('keys').length).toBe(before + 1);
    expect(await statusOf(started)).toBe('pending');
    expect((await bank.redeem(started)).code).toBe('attempt.pending');
    expect((await result(started, 'second')).status).toBe(200);
    expect(await statusOf(started)).toBe('authenticated');
  });
});
