import { expect, test } from 'vitest';
import { findTool, hasTools, TOOLS } from '../../scripts/debian.mjs';

/** What the tests of deploy/ are run with. */

const ofTest = Object.keys(TOOLS).filter((use) => TOOLS[use]?.run === undefined);

test.each(ofTest)('the tools for %s are here, or the run says so', (use) => {
  if (!hasTools(use)) return;
  for (const program of TOOLS[use]?.programs ?? []) expect(findTool(program)).toContain(program);
});

test('a tool is found by its name', () => {
  expect(findTool('sh')).toMatch(/\/sh$/);
  expect(findTool('no-such-program')).toBeUndefined();
});
