import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PLANTED_BUGS } from './planted-bugs.ts';
import { textsWith } from './support/plant.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** `npm run planted` finds stale bugs too, but it does not run with every change. */
it.each(PLANTED_BUGS.map((bug) => [bug.name, bug] as const))(
  'the bug still has its place in the sources: %s',
  (_, bug) => {
    expect(textsWith(ROOT, bug).size).toBeGreaterThan(0);
  },
);
