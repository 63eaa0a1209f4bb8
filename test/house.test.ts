import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkHouse, HOUSE_RULES } from './support/house.ts';
import { ROOMS } from './support/rooms.ts';
import { describeRules } from './support/rule-suite.ts';
import { checkTidy, TIDY_RULES } from './support/tidy.ts';
import { RULED_OUT } from './support/tidy/arabic.ts';

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

describeRules({ title: 'the tidy rules', folder: 'tidy', rules: TIDY_RULES, check: checkTidy });

const longFunction = `export function long() {\n${'  call();\n'.repeat(60)}}\n`;

it.each(['pages/browser/phone.js', 'contract/src/errors.ts', 'schema/src/index.ts'])(
  '%s is of the product',
  (path) => {
    expect(checkTidy([{ path, text: longFunction }])).toMatchObject([{ rule: 'function-length' }]);
  },
);

it('the clock belongs to the platform in the contract too, and to the script of a page', () => {
  const text = 'export const now = () => Date.now();\n';
  expect(checkTidy([{ path: 'contract/src/now.ts', text }])).toHaveLength(1);
  expect(checkTidy([{ path: 'pages/browser/phone.js', text }])).toEqual([]);
});

describe('the Arabic words that are ruled out', () => {
  it.each(RULED_OUT)('$example is found, for $instead', ({ pattern, example, instead }) => {
    expect(example).toMatch(pattern);
    expect(instead).not.toMatch(pattern);
    expect(checkTidy([{ path: 'docs/api.md', text: example }])).toHaveLength(1);
  });
});
