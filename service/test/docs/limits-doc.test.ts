import { expect, it } from 'vitest';
import { RATE_POLICIES } from '../../src/values/limits.ts';
import { readDocument, sectionOf } from './documents.ts';

const ROW = /^\|[^|]+\| `([\w-]+)` +\| (\d+)(?: in all)? +\|/gm;

it('docs/api.md gives each rate limit that is counted, by the name of its policy', () => {
  const rows = sectionOf(readDocument('docs/api.md'), 'What holds everywhere');
  const documented = [...rows.matchAll(ROW)].map(([, name, quota]) => `${name} ${quota}`);
  const counted = Object.values(RATE_POLICIES).map(({ name, quota }) => `${name} ${quota}`);
  expect(documented.toSorted()).toEqual(counted.toSorted());
});
