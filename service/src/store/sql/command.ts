import type { AuditEntry } from './audit-entry.ts';
import type { SqlRow, Step, StepResult } from './statement.ts';

/**
 * Steps that all happen or none, and the audit rows that are written with them. No step needs a
 * decision of the program after the one before it, so an engine gets all of them at once.
 */
export interface Unit {
  readonly steps: readonly Step[];
  /** Written after the last step, and only if every guard was satisfied. */
  readonly audit: readonly AuditEntry[];
}

/**
 * What a command reads and changes, as names. An engine with several writers runs two commands one
 * after the other if they have a name in common, or if one of them touches everything. SQLite has
 * one writer and ignores this.
 */
export type Touched = 'everything' | readonly string[];

/** A write: what has to happen, and how its result is read from the rows of the steps. */
export interface Command<Result> extends Unit {
  readonly touches: Touched;
  readonly decode: (results: Results) => Result;
}

/** The results of the steps that ran. */
export class Results {
  readonly #steps: readonly Step[];
  readonly #results: readonly StepResult[];

  constructor(steps: readonly Step[], results: readonly StepResult[]) {
    this.#steps = steps;
    this.#results = results;
  }

  /** The first row that the step returned; null if it returned none or did not run. */
  row(step: Step): SqlRow | null {
    return this.#of(step)?.rows[0] ?? null;
  }

  has(step: Step): boolean {
    return this.row(step) !== null;
  }

  /** The number of rows that the step wrote, for a statement that returns none. */
  changes(step: Step): number {
    return this.#of(step)?.changes ?? 0;
  }

  #of(step: Step): StepResult | undefined {
    return this.#results[this.#steps.indexOf(step)];
  }
}

export const attemptName = (attemptId: string): string => `attempt:${attemptId}`;
export const tokenName = (tokenId: string): string => `token:${tokenId}`;
const PERSON = 'person:';
export const personName = (identityDigest: string): string => `${PERSON}${identityDigest}`;
/**
 * Whether two commands that both touch this may share a transaction. Only completions touch a
 * person, and their steps stand in the same order, so the later one is still written last.
 */
export const mayShareBatch = (name: string): boolean => name.startsWith(PERSON);
/** One name for all budgets: the quota of the service counts every push. */
export const BUDGETS = 'budgets';
