import { join, matchesGlob } from 'node:path';
import { expect, it } from 'vitest';
import { TEST_PROJECTS } from '../../../scripts/test-projects.ts';
import { PLANTED_BUGS } from './planted-bugs.ts';
import { textsWith } from './support/plant.ts';
import { withoutTest } from './support/without-test.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** `npm run planted` finds stale bugs too, but it does not run with every change. */
it.each(PLANTED_BUGS.map((bug) => [bug.name, bug] as const))(
  'the bug still has its place in the sources: %s',
  (_, bug) => {
    expect(textsWith(ROOT, bug).size).toBeGreaterThan(0);
  },
);

const lost = (tests: ReadonlyMap<string, readonly string[]>) => withoutTest(PLANTED_BUGS, tests);

it('a bug needs one test of its name in a file that was run', () => {
  const [bug] = PLANTED_BUGS;
  const { file = '', name = '' } = bug?.test ?? {};
  expect(lost(new Map([[file, [`in a group > ${name}`]]]))).toContain(bug);
  expect(lost(new Map([[file, [name, name]]]))).toContain(bug);
  expect(lost(new Map([[file, [name, 'another test']]]))).not.toContain(bug);
  expect(lost(new Map([['not/its-file.test.ts', []]]))).toEqual([]);
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
