import type { CoachInput, Finding } from './rule.ts';
import { COACH_RULES } from './rules.ts';

/** So many show what is meant. */
const MOST_ENTRIES = 20;

/**
 * What the application's side of one attempt does wrong, the worst first. Where it can't be sure it
 * says nothing: a clock that stands still, another tab of the same user, a test without a browser.
 */
export function coach(input: CoachInput): readonly Finding[] {
  return COACH_RULES.flatMap(({ key, title, advice, check }) => {
    const entries = check(input);
    return entries === null
      ? []
      : [{ rule: key, title, advice, entries: entries.slice(0, MOST_ENTRIES) }];
  });
}
