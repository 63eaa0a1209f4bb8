import type { Ms } from './ports.ts';

/** What a test chooses for one request to the provider. */
export interface Scenario {
  /** Requests of different scopes know nothing of each other. */
  readonly scope: string;
  /** Null: nothing is chosen, so the identity decides, or a person does. */
  readonly outcome: ChosenOutcome | null;
}

export interface ChosenOutcome {
  /** The key of an outcome. */
  readonly key: string;
  /** How long after the request the person acts; null: as the outcome says. */
  readonly afterMs: Ms | null;
}

export const DEFAULT_SCOPE = 'default';

/** The names of the headers, as texts name them. */
export const SCOPE_HEADER = 'X-Miftah-Scope';

/** The two headers of a request, as Node gives them. */
export interface ScenarioHeaders {
  readonly 'x-miftah-scope'?: string | string[] | undefined;
}

const SCOPE = /^[a-z0-9-]{1,64}$/;

export function isScope(text: string): boolean {
  return SCOPE.test(text);
}

/** The scope of a request; null if the header is no name of a scope. */
export function readScope({ 'x-miftah-scope': scope }: ScenarioHeaders): string | null {
  if (scope === undefined) return DEFAULT_SCOPE;
  return typeof scope === 'string' && isScope(scope) ? scope : null;
}
