import { describe, expect, it } from 'vitest';
import { SECOND_MS } from '../../src/values/time.ts';
import { json, openAreaB, redirectTo } from '../support/provider/area-b.ts';
import { KID } from '../support/provider/token-forge.ts';
import { shareOpened } from '../support/live/live-service.ts';
import { bringPush, codeOf, comeBack, launched, signedIn } from '../support/live/steps.ts';

const scene = shareOpened();

/** After this time the cached keys are no longer fresh. */
const FRESH_MS = 10 * 60 * SECOND_MS;

describe('threat 28: where the signing keys come from', () => {
  it('follows no redirect to other keys', async () => {
    const { bank, clock, provider } = scene();
    const { forge } = provider;
    const evil = await openAreaB(json({ keys: [forge.jwk(forge.foreign, { kid: 'evil' })] }));
    provider.answer('keys', redirectTo(`${evil.url}/jwks`));
    clock.advance(FRESH_MS);
    const started = await bank.startPhone('1087700001');
    const { attempt_id: id } = started;
    const claims = JSON.stringify(provider.phoneClaims(id));
    const header = JSON.stringify({ alg: 'RS256', kid: 'evil' });
    const forged = forge.signText(header, claims, forge.foreign.privateKey);
    const answer = await bringPush(scene(), provider.message(id, forged));
    expect(answer.status).toBeGreaterThanOrEqual(500);
    expect(evil.calls).toEqual([]);
    expect((await bank.redeem(started)).code).toBe('attempt.pending');
    // The provider sends the result again, and its keys are now available.
    provider.answer('keys', provider.honest('keys'));
    clock.advance(30 * SECOND_MS);
    expect((await bringPush(scene(), provider.message(id))).status).toBe(200);
    expect((await bank.redeem(started)).status).toBe(200);
  });

  it.each([
    [
      'HTML',
      (_call: unknown, response: { end(text: string): unknown }) => void response.end('<p>'),
    ],
    ['an empty set', json({ keys: [] })],
    ['a set of more than 256 KiB', json({ keys: [], more: 'x'.repeat(300_000) })],
  ])('%s instead of keys authenticates nobody', async (_, script) => {
    const { bank, clock, provider } = scene();
    provider.answer('keys', script);
    clock.advance(25 * 60 * FRESH_MS);
    const started = await bank.startRedirect();
    const browser = await launched(started);
    provider.approve(started.attempt_id);
    const visit = await comeBack(scene(), started, browser);
    expect([visit.status >= 500, visit.location]).toEqual([true, null]);
    expect((await bank.status(started)).data['user']).toBeNull();
    clock.advance(30 * SECOND_MS);
  });
});

describe('threat 29: a flood of unknown kids', () => {
  it('1,000 forged kids ask for the keys twice at most, and a right login goes through', async () => {
    const { bank, clock, provider } = scene();
    clock.advance(FRESH_MS);
    await signedIn(scene(), await bank.startRedirect());
    const before = provider.received('keys').length;
    const started = await bank.startPhone('1087700002');
    const { attempt_id: id } = started;
    for (let round = 0; round < 20; round += 1) {
      const flood = Array.from({ length: 50 }, (_, index) => {
        const forged = provider.phoneToken(id, {}, { kid: `forged-${round}-${index}` });
        return bringPush(scene(), provider.message(id, forged));
      });
      const codes = (await Promise.all(flood)).map(({ code }) => code);
      expect(new Set(codes)).toEqual(new Set(['push.unverified']));
    }
    expect(provider.received('keys').length - before).toBeLessThanOrEqual(2);
    const redirect = await bank.startRedirect();
    const code = await signedIn(scene(), redirect);
    expect((await bank.redeem(redirect, { completion_code: code })).status).toBe(200);
    expect((await bringPush(scene(), provider.message(id))).status).toBe(200);
    expect(provider.received('keys').length - before).toBeLessThanOrEqual(2);
  });

  it('a key that the provider has changed to is found after the pause', async () => {
    const { bank, clock, provider } = scene();
    const { forge } = provider;
    provider.answer('keys', json({ keys: [forge.jwk(forge.foreign, { kid: 'rotated' })] }));
    clock.advance(30 * SECOND_MS);
    const started = await bank.startRedirect();
    const browser = await launched(started);
    const claims = JSON.stringify(provider.redirectClaims(started.attempt_id));
    const header = JSON.stringify({ alg: 'RS256', kid: 'rotated' });
    provider.tell(started.attempt_id, forge.signText(header, claims, forge.foreign.privateKey));
    expect(codeOf(await comeBack(scene(), started, browser))).toMatch(/^[\w-]{43}$/);
    // The old key was removed in the same rotation.
    const late = await bank.startRedirect();
    const other = await launched(late);
    provider.tell(late.attempt_id, provider.redirectToken(late.attempt_id, {}, { kid: KID }));
    expect((await comeBack(scene(), late, other)).status).toBe(502);
  });
});
