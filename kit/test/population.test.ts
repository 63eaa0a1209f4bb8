import { population } from '@miftah/simulator/population';
import { describe, expect, it } from 'vitest';
import { startMiftah, type Person } from '../src/index.ts';
import { opened, share } from './support/instances.ts';

/** `startMiftah({ people: 5000 })`: invented people beside the test people. */

const COUNT = 2100;
const EXPECTED = [...population({ count: COUNT, seed: 7 })];

const many = share({ people: COUNT, seed: 7 });

/** One person of each hard case. */
const HARD = ['long', 'single', 'apostrophe', 'hyphen', 'marks'].map((word) => {
  const row = EXPECTED.find(
    ({ about }) => about.includes(`; ${word}`) || about.includes(` ${word}`),
  );
  if (row === undefined) throw new Error(`no ${word}`);
  return { word, id: row.id, full: row.english_name.full };
});

async function signedIn({ id, nationalId }: Person) {
  const { phone } = many();
  const attempt = await many().client().start({ nationalId, locale: 'en' });
  await phone.approve(attempt);
  await attempt.waitForResult();
  const { user } = await attempt.issueToken();
  return { id, user };
}

describe('startMiftah({ people: 2100, seed: 7 })', () => {
  it('has the people of the seed beside the test people, of whom amal is the default', () => {
    const { people } = many();
    expect(Object.keys(people)).toHaveLength(COUNT + 10);
    expect(people.amal.default).toBe(true);
    for (const row of EXPECTED) {
      expect(people[row.id]?.nationalId, row.id).toBe(row.national_id);
      expect(people[row.id]?.arabicName, row.id).toEqual(row.arabic_name);
    }
  });

  it.each(HARD)('signs in somebody whose name is hard: $word', async ({ id, full }) => {
    const person = many().people[id];
    if (person === undefined) throw new Error(`no ${id}`);
    const { user } = await signedIn(person);
    expect(user.nationalId).toBe(person.nationalId);
    expect(JSON.stringify(user)).toContain(full);
  });

  it('signs in by browser somebody whom the page does not show', async () => {
    const { browser, people } = many();
    const attempt = await many().client().start({ locale: 'en' });
    const { returnAddress } = await browser.approve(attempt, { person: `person-${COUNT}` });
    const completionCode = returnAddress.searchParams.get('completion_code') ?? '';
    const { user } = await attempt.issueToken({ completionCode });
    expect(user.nationalId).toBe(people[`person-${COUNT}`]?.nationalId);
  });

  it('shows fifty of them on the sign-in page, and others by a search', async () => {
    const { people } = many();
    const { authorizationUrl } = await many().client().start({ locale: 'en' });
    const shown = async (search: string) => {
      const address = new URL(authorizationUrl);
      if (search !== '') address.searchParams.set('search', search);
      const page = await (await fetch(address)).text();
      const ids = page.matchAll(/data-testid="person-([\w-]+)"/g).map(([, id]) => id);
      return { ids: ids.toArray(), canApprove: page.includes('data-testid="approve"') };
    };
    const first = await shown('');
    expect([first.ids.length, first.ids[0], first.canApprove]).toEqual([50, 'amal', true]);
    const last = `person-${COUNT}`;
    const number = people[last]?.nationalId ?? '';
    expect(await shown(number)).toEqual({ ids: [last], canApprove: true });
    expect(await shown('nobody at all')).toEqual({ ids: [], canApprove: false });
  });

  it('shows fifty of them on the home page, and says so', async () => {
    const page = await (await fetch(`${many().url}/?locale=en`)).text();
    expect(page.match(/<td class="number"|class="person-name"/g)?.length).toBe(50);
    expect(page).toContain('The console has all.');
  });

  it('names twenty of them where there is no such person', async () => {
    const { browser } = many();
    const attempt = await many().client().start({ locale: 'en' });
    await expect(browser.approve(attempt, { person: 'nobody' })).rejects.toThrow(
      /amal, faisal, .*person-10 and 2090 others\.$/,
    );
  });

  it('has them all again after a reset, and who was added no more', async () => {
    const miftah = await opened({ people: 30 });
    const before = Object.keys(miftah.people);
    await miftah.removePerson('person-7');
    await miftah.putPerson({
      ...miftah.people.amal,
      id: 'noor',
      nationalId: '1000012201',
      default: false,
    });
    expect(Object.keys(miftah.people)).toHaveLength(before.length);
    await miftah.reset();
    expect(Object.keys(miftah.people)).toEqual(before);
  });

  it('has others for another seed, and the same ones without one', async () => {
    const [one, same, other] = [
      await opened({ people: 5 }),
      await opened({ people: 5, seed: 1 }),
      await opened({ people: 5, seed: 2 }),
    ];
    expect(same.people).toEqual(one.people);
    expect(other.people['person-1']).not.toEqual(one.people['person-1']);
  });
});

describe('what can not be', () => {
  it.each([[0], [1.5], [100_001], ['5000'], [{}]])('%o people are refused', async (people) => {
    await expect(startMiftah({ people: people as never })).rejects.toThrow(
      'startMiftah: people is a list of people, or how many to invent, 1 to 100000, and not',
    );
  });

  it.each([[-1], [2 ** 32], [0.5], ['7']])('seed %o is refused', async (seed) => {
    await expect(startMiftah({ people: 5, seed: seed as never })).rejects.toThrow(
      'startMiftah: seed is a whole number from 0 to 4294967295, and not',
    );
  });

  it.each([{}, { people: [] }])('a seed without a number of people is refused', async (options) => {
    await expect(startMiftah({ ...options, seed: 7 })).rejects.toThrow(
      'startMiftah: seed is for invented people, and needs people to be how many',
    );
  });
});
