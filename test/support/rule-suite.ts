import { describe, expect, it } from 'vitest';
import { listed, type Finding } from './finding.ts';
import { fixtureNames, readFixture, readTree, type SourceFile } from './tree.ts';

type RuleSet = {
  readonly title: string;
  /** The folder of its fixtures, below test/fixtures. */
  readonly folder: string;
  readonly rules: readonly string[];
  readonly check: (files: readonly SourceFile[]) => Finding[];
};

/**
 * Holds a set of rules against the repository, and first against a fixture for each rule that breaks
 * it: a rule that has never been seen to catch anything may well catch nothing.
 */
export function describeRules({ title, folder, rules, check }: RuleSet): void {
  const fixtures = fixtureNames(folder);
  describe(title, () => {
    it.each(fixtures)('catch %s', (fixture) => {
      const findings = check(readFixture(folder, fixture));
      const caught = findings.map(({ rule }) => rule);
      expect(caught, listed(findings).join('\n')).toEqual([ruleOf(fixture)]);
    });

    it('have each been seen to catch something', () => {
      expect([...new Set(fixtures.map(ruleOf))].toSorted()).toEqual(rules.toSorted());
    });

    it('hold in this repository', () => {
      expect(listed(check(readTree()))).toEqual([]);
    });
  });
}

/** A fixture bears the name of the rule it breaks, with a word of its own after a dot if need be. */
function ruleOf(fixture: string): string {
  return fixture.split('.')[0] ?? '';
}
