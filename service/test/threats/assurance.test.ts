import { describe, expect, it } from 'vitest';
import { shareUnmoved } from '../support/live/live-service.ts';
import { bringPush, codeOf, comeBack, launched } from '../support/live/steps.ts';

const scene = shareUnmoved({ settings: { MINIMUM_ASSURANCE: '2' } });

describe('threat 32: an assurance that is too low', () => {
  it.each([
    ['lower', { assurance_level: '1' }],
    ['empty', { assurance_level: '' }],
    ['not stated', { assurance_level: undefined }],
    ['the weaker of two', { assurance_level: '3', acr: '1' }],
  ])('%s: the person is refused in the browser', async (_, claims) => {
    const { bank, provider } = scene();
    const started = await bank.startRedirect();
    const browser = await launched(started);
    provider.approve(started.attempt_id, claims);
    const visit = await comeBack(scene(), started, browser);
    expect([visit.status, visit.location]).toEqual([403, null]);
    expect(visit.html).toContain('assurance.insufficient');
    expect((await bank.status(started)).data).toMatchObject({ status: 'rejected', user: null });
    provider.approve(started.attempt_id);
    expect((await comeBack(scene(), started, browser)).status).toBe(404);
    expect((await bank.redeem(started)).code).toBe('attempt.rejected');
  });

  it('enough: the person is let through', async () => {
    const { bank, provider } = scene();
    const started = await bank.startRedirect();
    const browser = await launched(started);
    provider.approve(started.attempt_id, { assurance_level: '2' });
    expect(codeOf(await comeBack(scene(), started, browser))).toMatch(/^[\w-]{43}$/);
  });

  it('a push whose token states none is refused', async () => {
    const { bank, provider } = scene();
    const started = await bank.startPhone('1087600001');
    const { attempt_id: id } = started;
    const answer = await bringPush(scene(), provider.message(id));
    expect([answer.status, answer.code]).toEqual([403, 'assurance.insufficient']);
    expect((await bank.redeem(started)).code).toBe('attempt.rejected');
    const late = provider.message(id, provider.phoneToken(id, { assurance_level: '3' }));
    expect((await bringPush(scene(), late)).status).toBe(200);
    expect((await bank.redeem(started)).code).toBe('attempt.rejected');
  });
});
