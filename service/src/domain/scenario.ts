import { SCOPE_PATTERN } from '@miftah/contract/values';
import { SECOND_MS, type Ms } from './time.ts';

/**
 * What a test has chosen for one attempt of simulator mode. An attempt that is in the default scope
 * and has nothing chosen has none, and so has every attempt of live mode.
 */
export interface Scenario {
  /** Attempts of different scopes know nothing of each other. */
  readonly scope: string;
  /** What the person or the provider does; null: nothing is chosen. */
  readonly outcome: ChosenOutcome | null;
}

export interface ChosenOutcome {
  /** The key of an outcome of the simulator. */
  readonly key: string;
  /** How long after the start the person acts; null: as the outcome says. */
  readonly afterMs: Ms | null;
}

export const DEFAULT_SCOPE = 'default';

/** The text that is stored, for example `team-a refuses;after=3`. */
export function scenarioText({ scope, outcome }: Scenario): string {
  if (outcome === null) return scope;
  const { key, afterMs } = outcome;
  return `${scope} ${key}${afterMs === null ? '' : `;after=${afterMs / SECOND_MS}`}`;
}

const TEXT = /^(?<scope>[^ ]*)(?: (?<key>[a-z0-9_]{1,40})(?:;after=(?<seconds>\d{1,3}))?)?$/;

/** Null for a text that `scenarioText` does not make. */
export function parseScenario(text: string): Scenario | null {
  const { scope, key, seconds } = TEXT.exec(text)?.groups ?? {};
  if (scope === undefined || parseScope(scope) === null) return null;
  if (key === undefined) return { scope, outcome: null };
  const afterMs = seconds === undefined ? null : Number(seconds) * SECOND_MS;
  return { scope, outcome: { key, afterMs } };
}

const SCOPE = new RegExp(SCOPE_PATTERN);

/** Null for a text that is no name of a scope. */
export function parseScope(text: string): string | null {
  return SCOPE.test(text) ? text : null;
}

/** The scope of an attempt. */
export function scopeOf({ scenario }: { readonly scenario: Scenario | null }): string {
  return scenario?.scope ?? DEFAULT_SCOPE;
}

/** A key of its own in each scope but the default one, which has the plain key. */
export function keyInScope(scope: string, key: string): string {
  return scope === DEFAULT_SCOPE ? key : `${scope} ${key}`;
}
