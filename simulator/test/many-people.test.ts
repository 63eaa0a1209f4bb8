import { describe, expect, it } from 'vitest';
import { peopleOf, type PersonRow } from '../src/engine/people/people-file.ts';
import { population } from '../src/population/population.ts';
import { makeApp, type AppBench } from './support/apps.ts';

/** What the control API gives of more people than one answer has. */

const COUNT = 2500;
const rows = [...population({ count: COUNT, seed: 7 })].map((row, index) => ({
  ...row,
  default: index === 2000,
}));

const makeBench = () => makeApp({ engineParts: { people: peopleOf(rows) } });

async function list({ app }: AppBench, query: Record<string, string> = {}) {
  const answer = await app.inject({ method: 'GET', url: '/simulator/people', query });
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<{ data: PersonRow[] }>().data;
}

describe('GET /simulator/people', () => {
  it('gives a thousand, and all of them page by page, the default person first', async () => {
    const bench = makeBench();
    const pages = [await list(bench)];
    while ((pages.at(-1) ?? []).length > 0) {
      pages.push(await list(bench, { after: pages.at(-1)?.at(-1)?.id ?? '' }));
    }
    expect(pages.map((page) => page.length)).toEqual([1000, 1000, 500, 0]);
    const all = pages.flat();
    expect(all[0]).toEqual(rows[2000]);
    expect(new Set(all.map(({ id }) => id))).toEqual(new Set(rows.map(({ id }) => id)));
  });

  it('finds one among all, and none more than are wanted', async () => {
    const bench = makeBench();
    const wanted = rows[1234];
    expect(await list(bench, { search: wanted?.national_id ?? '' })).toEqual([wanted]);
    const women = await list(bench, { search: 'Citizen, woman', limit: '7' });
    expect(women.map(({ about }) => about.slice(0, 14))).toEqual(
      Array.from({ length: 7 }, () => 'Citizen, woman'),
    );
  });

  it.each([
    { limit: '0' },
    { limit: '1001' },
    { limit: 'x' },
    { wanted: 'x' },
    { search: 'x'.repeat(251) },
  ])('refuses %o with what it takes', async (query) => {
    const { app } = makeBench();
    const answer = await app.inject({ method: 'GET', url: '/simulator/people', query });
    expect([answer.statusCode, answer.json()]).toMatchObject([422, { code: 'validation.failed' }]);
  });

  it('says that nobody has the id of `after`', async () => {
    const { app } = makeBench();
    const answer = await app.inject({ method: 'GET', url: '/simulator/people?after=nobody' });
    expect([answer.statusCode, answer.json()]).toMatchObject([404, { code: 'people.not_found' }]);
  });
});
