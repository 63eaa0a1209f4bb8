import { describe, expect, it } from 'vitest';
import { HOUR_MS, SECOND_MS } from '../../src/values/time.ts';
import type { Started } from '../support/live/live-client.ts';
import { thinClaims, type Changes } from '../support/provider/token-forge.ts';
import { shareOpened } from '../support/live/live-service.ts';
import { bringPush } from '../support/live/steps.ts';

const scene = shareOpened();

let people = 0;
function somebody(firstDigit = '1'): string {
  scene().clock.advance(HOUR_MS);
  return firstDigit + String(88_900_000 + (people += 1)).padStart(9, '0');
}

async function bring({ attempt_id: id }: Started, changes: Changes): Promise<number> {
  const { provider } = scene();
  const token = provider.phoneToken(id, changes);
  return (await bringPush(scene(), provider.message(id, token))).status;
}

/** Removes every claim that identifies a person. */
const NAMELESS: Changes = {
  ...Object.fromEntries(
    [
      'firstName',
      'fatherName',
      'grandFatherName',
      'familyName',
      'englishFirstName',
      'englishSecondName',
      'englishThirdName',
      'englishLastName',
    ].map((name) => [name, undefined]),
  ),
  nin: undefined,
  gender: undefined,
  nationality: undefined,
};

async function userOf(started: Started) {
  return (await scene().bank.redeem(started)).data['user'];
}

describe('threat 34: a result that is no approval', () => {
  it.each([
    ['REJECTED', 'rejected', 'attempt.rejected'],
    ['EXPIRED', 'expired', 'attempt.expired'],
  ])('%s lets nobody in, although it names the person', async (status, state, code) => {
    const { bank } = scene();
    const started = await bank.startPhone(somebody());
    expect(await bring(started, { status })).toBe(200);
    expect((await bank.status(started)).data).toMatchObject({ status: state, user: null });
    expect((await bank.redeem(started)).code).toBe(code);
    // An approval after it has no effect.
    expect(await bring(started, {})).toBe(200);
    expect((await bank.redeem(started)).code).toBe(code);
  });

  it('EXPIRED ends the attempt before the push would have ended by itself', async () => {
    const { bank, clock } = scene();
    const person = somebody();
    const started = await bank.startPhone(person);
    clock.advance(5 * SECOND_MS);
    expect(await bring(started, { status: 'EXPIRED', ...NAMELESS })).toBe(200);
    const { data } = await bank.status(started);
    expect(data).toMatchObject({ status: 'expired', provider_status: 'EXPIRED' });
    // The person can get another push at once.
    expect((await bank.start({ national_id: person })).status).toBe(200);
  });

  it('an unsigned EXPIRED ends nothing', async () => {
    const { bank, provider } = scene();
    const started = await bank.startPhone(somebody());
    const { attempt_id: id } = started;
    const right = provider.message(id);
    const { transId, requestId } = right;
    const unsigned = [
      { transId, requestId, status: 'EXPIRED' },
      { transId, requestId, status: 'EXPIRED', token: '' },
      { transId, requestId, status: 'EXPIRED', token: 'x.y.z' },
      { ...right, status: 'EXPIRED', token: right.token.replace(/[^.]*$/, 'AAAA') },
    ];
    for (const message of unsigned) {
      expect((await bringPush(scene(), message)).status).toBeGreaterThanOrEqual(400);
      expect((await bank.status(started)).data['status']).toBe('pending');
    }
  });
});

describe('threat 35: a token without names', () => {
  it('signs in the person who was asked, and nothing is made up', async () => {
    const { bank } = scene();
    const person = somebody();
    const started = await bank.startPhone(person);
    expect(await bring(started, NAMELESS)).toBe(200);
    expect(await userOf(started)).toMatchObject({
      national_id: person,
      name: '',
      arabic_name: '',
      english_name: '',
      nationality: 'SA',
      gender: 'X',
      assurance_level: 0,
    });
  });

  it('leaves a known person the names that they have', async () => {
    const { bank } = scene();
    const person = somebody();
    const first = await bank.startPhone(person);
    expect(await bring(first, { email: 'known@example.test' })).toBe(200);
    const known = await userOf(first);
    const second = await bank.startPhone(person);
    expect(await bring(second, { ...NAMELESS, nationalityCode: undefined })).toBe(200);
    expect(await userOf(second)).toEqual(known);
    expect(known).toMatchObject({ english_name: 'Faisal Omar Khalid Altajribi', gender: 'M' });
  });

  it('may lack ServiceName too, and have its number as a number', async () => {
    const { bank } = scene();
    const person = somebody();
    const started = await bank.startPhone(person);
    const least = { ...NAMELESS, ServiceName: undefined, PersonId: Number(person) };
    expect(await bring(started, least)).toBe(200);
    expect(await userOf(started)).toMatchObject({ national_id: person });
  });

  it('of another number than it says elsewhere fails the attempt', async () => {
    const { bank } = scene();
    const [person, other] = [somebody(), somebody()];
    const started = await bank.startPhone(person);
    expect(await bring(started, { ...NAMELESS, PersonId: Number(other) })).toBe(502);
    expect((await bank.status(started)).data).toMatchObject({ status: 'pending', user: null });
  });

  it('a token without a gender leaves the one that is known', async () => {
    const { bank } = scene();
    const person = somebody();
    const first = await bank.startPhone(person);
    expect(await bring(first, {})).toBe(200);
    expect(await userOf(first)).toMatchObject({ gender: 'M' });
    const second = await bank.startPhone(person);
    expect(await bring(second, { gender: undefined, englishFirstName: 'Fahd' })).toBe(200);
    const english_name = 'Fahd Omar Khalid Altajribi';
    expect(await userOf(second)).toMatchObject({ gender: 'M', english_name });
  });

  it('of somebody else fails the attempt', async () => {
    const { bank } = scene();
    const [person, other] = [somebody(), somebody()];
    const started = await bank.startPhone(person);
    expect(await bring(started, { ...NAMELESS, sub: other, PersonId: other })).toBe(502);
    expect((await bank.redeem(started)).code).toBe('attempt.failed');
  });

  it.each([
    ['of a visitor, whose document it does not say', '3', {}],
    ['without a PersonId', '1', { PersonId: undefined }],
    ['without a sub', '1', { sub: undefined }],
    ['whose sub is of the provider’s own', '1', { sub: 'u-1' }],
  ])('%s signs nobody in', async (_, firstDigit, changes) => {
    const { bank } = scene();
    const started = await bank.startPhone(somebody(firstDigit));
    expect(await bring(started, { ...NAMELESS, ...changes })).toBe(502);
    expect((await bank.status(started)).data).toMatchObject({ status: 'pending', user: null });
  });

  it('is the whole of what such a service is told', () => {
    const kept = Object.keys(thinClaims());
    expect(kept.filter((name) => name in NAMELESS)).toEqual([]);
    expect(kept).toEqual(expect.arrayContaining(['sub', 'PersonId', 'nationalityCode']));
  });
});
