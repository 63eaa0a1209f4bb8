import { SCOPE_PATTERN } from '@miftah/contract/values';
import { SECOND_MS, type Ms } from '../values/time.ts';

/**
 * What a test has chosen for one attempt of simulator mode. An attempt that is in the default scope
 * and has nothing chosen has none, and so has every attempt of live mode.
 */
export interface Scenario {
  /** Attempts of different scopes know nothing of each other. */
  readonly scope: string;
  /** What the person or the provider does; null: nothing is chosen. */
  readonly outcome: ChosenOutcome | null;
  /**
   * Who signs in, as a text of the simulator. Absent where it follows from the request, or where the
   * simulator is a service of its own.
   */
  readonly signer?: string;
}

export interface ChosenOutcome {
  /** The key of an outcome of the simulator. */
  readonly key: string;
  /** How long after the start the person acts; null: as the outcome says. */
  readonly afterMs: Ms | null;
}

export const DEFAULT_SCOPE = 'default';
export const DEFAULT_SCENARIO: Scenario = { scope: DEFAULT_SCOPE, outcome: null };

/** The text that is stored, for example `team-a refuses;after=3`. */
export function scenarioText({ scope, outcome, signer }: Scenario): string {
  const chosen = outcome === null ? '' : ` ${outcomeText(outcome)}`;
  return `${scope}${chosen}${signer === undefined ? '' : ` @${signer}`}`;
}

function outcomeText({ key, afterMs }: ChosenOutcome): string {
  return `${key}${afterMs === null ? '' : `;after=${afterMs / SECOND_MS}`}`;
}

const OUTCOME_TEXT = String.raw` (?<key>[a-z0-9_]{1,40})(?:;after=(?<seconds>\d{1,3}))?`;
const SIGNER_TEXT = String.raw` @(?<signer>[a-z0-9-]{1,40}:[\w-]{22})`;
const TEXT = new RegExp(`^(?<scope>[^ ]*)(?:${OUTCOME_TEXT})?(?:${SIGNER_TEXT})?$`);

/** Null for a text that `scenarioText` does not make. */
export function parseScenario(text: string): Scenario | null {
  const { scope, key, seconds, signer } = TEXT.exec(text)?.groups ?? {};
  if (scope === undefined || parseScope(scope) === null) return null;
  const kept = signer === undefined ? {} : { signer };
  if (key === undefined) return { scope, outcome: null, ...kept };
  const afterMs = seconds === undefined ? null : Number(seconds) * SECOND_MS;
  return { scope, outcome: { key, afterMs }, ...kept };
}

const SCOPE = new RegExp(SCOPE_PATTERN);

/** Null for a text that is no name of a scope. */
export function parseScope(text: string): string | null {
  return SCOPE.test(text) ? text : null;
}

/**
 * An OpenID client can send no header with its browser, so its id may name the scope: `demo-web@team-a`
 * is the client `demo-web` in the scope `team-a`. With a scope that is none it names no client at all.
 */
export function clientInScope(named: string): {
  readonly id: string;
  readonly scenario: Scenario | null;
} {
  const at = named.indexOf('@');
  const scope = at === -1 ? null : parseScope(named.slice(at + 1));
  if (scope === null) return { id: named, scenario: null };
  return { id: named.slice(0, at), scenario: { scope, outcome: null } };
}

/** The scope of an attempt. */
export function scopeOf({ scenario }: { readonly scenario: Scenario | null }): string {
  return scenario?.scope ?? DEFAULT_SCOPE;
}

/** A key of its own in each scope but the default one, which has the plain key. */
export function keyInScope(scope: string, key: string): string {
  return scope === DEFAULT_SCOPE ? key : `${scope} ${key}`;
}
