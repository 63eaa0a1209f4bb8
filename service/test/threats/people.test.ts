import { describe, expect, it } from 'vitest';
import type { Changes } from '../support/provider/token-forge.ts';
import { OTHER_PERSON, PERSON } from '../support/live/provider-double.ts';
import { shareUnmoved } from '../support/live/live-service.ts';
import { bringPush, comeBack, launched, signedIn } from '../support/live/steps.ts';

const scene = shareUnmoved();

interface User {
  readonly id: number;
  readonly national_id: string;
}

/** The user after a sign-in with these claims. */
async function userOf(claims: Changes): Promise<User> {
  const { bank } = scene();
  const started = await bank.startRedirect();
  const code = await signedIn(scene(), started, claims);
  const { data, text } = await bank.redeem(started, { completion_code: code });
  if (data['user'] === undefined) throw new Error(text);
  return data['user'] as User;
}

const without = { nin: undefined, sub: undefined };

describe('threat 33: one number, two people', () => {
  it('the same digits in two registers are two users', async () => {
    const number = '3087001101';
    const visitor = await userOf({ ...without, sub: 'v', visaNumber: number });
    const border = await userOf({ ...without, sub: 'b', borderNumber: number });
    expect(visitor.national_id).toBe(border.national_id);
    expect(visitor.id).not.toBe(border.id);
  });

  it('a person is the same user in either flow, whatever else has changed', async () => {
    const { bank, provider } = scene();
    const first = await userOf({ userid: 'a', englishName: 'One Name' });
    const second = await userOf({ userid: 'b', englishName: 'Another Name', sub: 'opaque' });
    const started = await bank.startPhone(PERSON);
    await bringPush(scene(), provider.message(started.attempt_id));
    const { data } = await bank.redeem(started);
    expect([second.id, (data['user'] as User).id]).toEqual([first.id, first.id]);
  });

  it('the provider’s own name for a person is never who they are', async () => {
    const one = await userOf({ userid: 'same', sub: PERSON });
    const other = await userOf({ userid: 'same', nin: OTHER_PERSON, sub: OTHER_PERSON });
    expect(other.id).not.toBe(one.id);
    const opaque = await userOf({ sub: 'same', nin: OTHER_PERSON });
    expect(opaque.id).toBe(other.id);
  });

  it.each([
    ['nin and sub', { nin: PERSON, sub: OTHER_PERSON }],
    ['nin and nationalId', { nationalId: OTHER_PERSON }],
    ['two registers', { iqamaNumber: '2087001101' }],
    ['two registers with the same digits', { visaNumber: PERSON }],
    ['no number at all', { ...without, sub: 'opaque' }],
  ])('conflicting claims bring nobody: %s', async (_, claims) => {
    const { bank, provider } = scene();
    const started = await bank.startRedirect();
    const browser = await launched(started);
    provider.approve(started.attempt_id, claims);
    const visit = await comeBack(scene(), started, browser);
    expect([visit.status, visit.location]).toEqual([502, null]);
    expect((await bank.status(started)).data).toMatchObject({ status: 'failed', user: null });
  });
});
