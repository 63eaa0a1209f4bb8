import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkHouse, HOUSE_RULES } from './support/house.ts';
import { ROOMS } from './support/rooms.ts';
import { describeRules } from './support/rule-suite.ts';

describeRules({
  title: 'the import rules',
  folder: 'house',
  rules: HOUSE_RULES,
  check: checkHouse,
});

it('a file that a room may import exists', () => {
  const root = join(import.meta.dirname, '..');
  const listed = ROOMS.flatMap(({ may, mayNameTypesOf = [] }) => [...may, ...mayNameTypesOf]);
  const named = listed.filter((entry) => typeof entry === 'string');
  const files = new Set(named.filter((entry) => /^[^@].*\/.*\.(?:ts|mjs|json)$/.test(entry)));
  expect([...files].filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
