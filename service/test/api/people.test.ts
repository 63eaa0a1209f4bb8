import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT_IN_PEOPLE } from '@miftah/simulator/engine';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/at-end.ts';
import {
  AMAL,
  approveInBrowser,
  complete,
  dataOf,
  FAISAL,
  issuedOf,
  KUSUMA,
  login,
  readStatus,
  redeem,
  startCompleted,
  startPhone,
  startRedirect,
  UNLISTED,
  type WireUser,
} from '../support/service/login.ts';
import {
  openTestService,
  shareService,
  type TestService,
} from '../support/service/test-service.ts';

/** Who signs in: decision 0002. */

const service = shareService();

async function userOf(from: TestService, flow: 'redirect' | 'phone'): Promise<WireUser> {
  return issuedOf(await redeem(from, await startCompleted(from, flow))).user;
}

describe('the fixed person', () => {
  it('is made at the first successful authentication, not before', async () => {
    const fresh = await openTestService();
    const [first, second] = [await startRedirect(fresh), await startPhone(fresh, FAISAL)];
    for (const started of [first, second]) {
      expect(dataOf(await readStatus(fresh, started))['user']).toBeNull();
    }
    await complete(fresh, second);
    await complete(fresh, first);
    const ids = [second, first].map(async (started) => {
      const { user } = dataOf(await readStatus(fresh, started)) as { user: WireUser };
      return [user.id, user.national_id];
    });
    expect(await Promise.all(ids)).toEqual([
      [1, FAISAL],
      [2, AMAL],
    ]);
  });

  it('is one and the same in both flows, and at every later login', async () => {
    const users = [
      await userOf(service(), 'redirect'),
      await userOf(service(), 'phone'),
      await userOf(service(), 'redirect'),
    ];
    expect(new Set(users.map(({ id }) => id)).size).toBe(1);
    expect(users.map(({ last_auth_method }) => last_auth_method)).toEqual(['oidc', 'mfa', 'oidc']);
    expect(users.map(({ national_id }) => national_id)).toEqual([AMAL, AMAL, AMAL]);
  });

  it('is told in a token with the way of its own login, whichever was the last one', async () => {
    const one = await startCompleted(service(), 'redirect');
    const other = await startCompleted(service(), 'phone');
    for (const [started, method] of [
      [one, 'oidc'],
      [other, 'mfa'],
    ] as const) {
      const { user } = issuedOf(await redeem(service(), started));
      expect(user.last_auth_method).toBe(method);
      const status = dataOf(await readStatus(service(), started));
      expect(status['user']).toMatchObject({ last_auth_method: method });
    }
  });

  it('signs in for a number that nobody has', async () => {
    const { user } = await login(service(), UNLISTED);
    const known = await login(service(), AMAL);
    expect(user).toEqual({ ...known.user });
    expect(user.national_id).toBe(AMAL);
  });

  it('is made once, however many first logins finish at the same time', async () => {
    const fresh = await openTestService({ settings: { RATE_LIMITS: 'off' } });
    const started = await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        at % 2 === 0 ? startRedirect(fresh) : startPhone(fresh),
      ),
    );
    await Promise.all(started.map((one) => complete(fresh, one)));
    const issued = await Promise.all(started.map((one) => redeem(fresh, one)));
    expect(new Set(issued.map((answer) => issuedOf(answer).user.id))).toEqual(new Set([1]));
  });
});

describe('a listed person', () => {
  it.each(BUILT_IN_PEOPLE.all.map((person) => [person.id, person] as const))(
    'acts as themselves by phone: %s',
    async (_, person) => {
      const { user } = await login(service(), person.nationalId);
      expect({ ...user, id: 0 }).toEqual({
        id: 0,
        national_id: person.nationalId,
        name: person.englishName.full,
        arabic_name: person.arabicName.full,
        english_name: person.englishName.full,
        preferred_locale: 'en',
        nationality: person.nationality.code,
        gender: person.gender,
        assurance_level: person.assuranceLevel,
        last_auth_method: 'mfa',
      });
      expect(user.id).toBe((await login(service(), person.nationalId)).user.id);
    },
  );

  it('acts as themselves in the browser, and is then the same user as by phone', async () => {
    const started = await startRedirect(service());
    await approveInBrowser(service(), started, 'kusuma');
    const { user } = issuedOf(await redeem(service(), started));
    expect(user).toMatchObject({ national_id: KUSUMA, last_auth_method: 'oidc' });
    expect((await login(service(), KUSUMA)).user.id).toBe(user.id);
  });

  it('is never mixed up with another who signs in at the same time', async () => {
    const people = [...BUILT_IN_PEOPLE.all, ...BUILT_IN_PEOPLE.all, ...BUILT_IN_PEOPLE.all];
    const users = await Promise.all(
      people.map(async ({ nationalId }) => (await login(service(), nationalId)).user.national_id),
    );
    expect(users).toEqual(people.map(({ nationalId }) => nationalId));
  });
});

describe('the user record', () => {
  it('has no e-mail address, in no answer', async () => {
    const started = await startCompleted(service());
    const answers = [await readStatus(service(), started), await redeem(service(), started)];
    for (const { payload } of answers) expect(payload).not.toContain('@example.test');
  });

  it('takes name and preferred_locale from the language of the last login', async () => {
    const names: unknown[] = [];
    for (const locale of ['ar', 'en']) {
      const started = await startPhone(service(), FAISAL, locale);
      await complete(service(), started);
      const { user } = issuedOf(await redeem(service(), started));
      names.push([user.name, { ...user }['preferred_locale' as 'name']]);
    }
    expect(names).toEqual([
      ['فيصل عمر خالد التجريبي', 'ar'],
      ['Faisal Omar Khalid Altajribi', 'en'],
    ]);
  });
});

const CAST = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../simulator/people.json'), 'utf8'),
) as { readonly people: readonly object[] };

describe('PEOPLE_FILE', () => {
  it.each(['no', 'yes'])(
    'has the people of the simulator in the place of ours, STRICT=%s',
    async (STRICT) => {
      const file = join(temporaryFolder('people'), 'people.json');
      const [first] = CAST.people;
      const own = { ...first, id: 'own', national_id: '1000009992' };
      writeFileSync(file, JSON.stringify({ people: [own] }));
      const { app } = await openTestService({ settings: { PEOPLE_FILE: file, STRICT } });
      const listed = (await app.inject('http://127.0.0.1:3000/simulator/people')).json<unknown>();
      expect(listed).toMatchObject({ data: [{ id: 'own', national_id: '1000009992' }] });
    },
  );

  it.each([
    ['none.json', null, /PEOPLE_FILE .*none\.json can't be read: ENOENT/],
    [
      'bad.json',
      '{"people": [{"id": "x"}]}',
      /people file .*bad\.json can't be used:\n.*\/people\/0: /,
    ],
    [
      'clients.json',
      '{"clients": []}',
      /people file .*clients\.json can't.*\n.* looks like a clients/s,
    ],
  ])('refuses the start with what is wrong: %s', async (name, text, says) => {
    const file = join(temporaryFolder('people'), name);
    if (text !== null) writeFileSync(file, text);
    await expect(openTestService({ settings: { PEOPLE_FILE: file } })).rejects.toThrow(says);
  });
});
