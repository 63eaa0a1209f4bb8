import { describe, expect, it } from 'vitest';
import { describeRules } from './support/rule-suite.ts';
import { checkTidy, TIDY_RULES } from './support/tidy.ts';
import { RULED_OUT } from './support/tidy/arabic.ts';

describeRules({ title: 'the tidy rules', folder: 'tidy', rules: TIDY_RULES, check: checkTidy });

describe('the Arabic words that are ruled out', () => {
  it.each(RULED_OUT)('$example is found, for $instead', ({ pattern, example, instead }) => {
    expect(example).toMatch(pattern);
    expect(instead).not.toMatch(pattern);
    expect(checkTidy([{ path: 'docs/api.md', text: example }])).toHaveLength(1);
  });
});
