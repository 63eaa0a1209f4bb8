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

/** Of all sets of rules in one file of tests: parsing two thousand files takes five seconds. */
let tree: readonly SourceFile[] | undefined;

/**
 * Checks the repository against a set of rules. First each rule is checked against a fixture that
 * breaks it, because a rule that has never failed may find nothing at all.
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
      expect(listed(check((tree ??= readTree())))).toEqual([]);
    });
  });
}

/** A fixture has the name of the rule it breaks, optionally followed by a dot and another word. */
function ruleOf(fixture: string): string {
  return fixture.split('.')[0] ?? '';
}
