import { join, matchesGlob } from 'node:path';
import { expect, it } from 'vitest';
import { TEST_PROJECTS } from '../../../scripts/test-projects.ts';
import { PLANTED_BUGS } from './planted-bugs.ts';
import { textsWith } from './support/plant.ts';
import { titlesIn } from './support/titles.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** `npm run planted` finds stale bugs too, but it does not run with every change. */
it.each(PLANTED_BUGS.map((bug) => [bug.name, bug] as const))(
  'the bug still has its place in the sources: %s',
  (_, bug) => {
    expect(textsWith(ROOT, bug).size).toBeGreaterThan(0);
  },
);

it('each bug names a test that is there', () => {
  const has = titlesIn(ROOT);
  const [first] = PLANTED_BUGS;
  const renamed = { file: first?.test.file ?? '', name: `${first?.test.name} > as it was before` };
  expect(has(renamed)).toBe(false);
  expect(PLANTED_BUGS.filter(({ test }) => !has(test)).map(({ name }) => name)).toEqual([]);
});

/** Who changes something sees `npm test`. */
it('each bug turns a test of `npm test` red', () => {
  const apart = TEST_PROJECTS.filter(({ name }) => name === 'long' || name === 'clients');
  const globs = apart.flatMap(({ files }) => files);
  const isApart = ({ test }: (typeof PLANTED_BUGS)[number]) =>
    globs.some((glob) => matchesGlob(test.file, glob));
  expect(globs).not.toEqual([]);
  expect(PLANTED_BUGS.filter(isApart).map(({ name }) => name)).toEqual([]);
});
