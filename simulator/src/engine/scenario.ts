import { meantAs, nearestOf } from '@miftah/schema/nearest';
import { flowsOf, mayWait } from './outcomes/outcome-reach.ts';
import { OUTCOMES, outcomeWithKey, type Outcome } from './outcomes/outcomes.ts';
import type { Ms } from './ports.ts';
import type { PromptKind } from './prompts/prompts.ts';

/**
 * What a test chooses for one request to the provider.
 *
 * The way of `X-Simulate: refuses` at POST /start, in a simulation: the service has this module read
 * the headers (`service/src/simulate/hosted/scenarios.ts`), keeps what they say with the attempt, and starts
 * it with that outcome, or else with the oldest that fits of the queue (`scopes.ts`). Every look
 * at the attempt makes its prompt anew from the record (`outcome-of.ts`), so
 * nothing of a refusal is stored before somebody looks. In strict mode the driver of live mode sends
 * the headers on, and `simulator/src/http/request-scenario.ts` reads them.
 */
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
export const DEFAULT_SCENARIO: Scenario = { scope: DEFAULT_SCOPE, outcome: null };

/** The names of the headers, as texts name them. */
export const SCOPE_HEADER = 'X-Miftah-Scope';
export const SIMULATE_HEADER = 'X-Simulate';

/** The headers of a request, as Node gives them. */
export type ScenarioHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The most seconds that a person can be told to wait: as long as an attempt lives. */
export const MOST_SECONDS = 300;
const SECOND_MS: Ms = 1000;

/**
 * `outcome`: no outcome has the key, or it does not apply to this flow. `after`: the seconds are not
 * allowed, or not with this outcome. `allowed` has the keys that are.
 */
export type ScenarioFault = { readonly header: typeof SCOPE_HEADER } | ChoiceFault;

interface ChoiceFault {
  readonly header: typeof SIMULATE_HEADER;
  readonly what: 'outcome' | 'after';
  readonly allowed: readonly string[];
  /** The key that was probably meant by one that no outcome has. */
  readonly near: string | undefined;
}

export type ReadScenario =
  | { readonly ok: true; readonly scenario: Scenario }
  | { readonly ok: false; readonly fault: ScenarioFault };

/** The name of a scope. */
export const SCOPE_PATTERN = '^[a-z0-9-]{1,64}$';
const SCOPE = new RegExp(SCOPE_PATTERN);
const CHOICE = /^(?<key>[a-z0-9_]{1,40})(?: *; *(?<parameter>.{0,40}))?$/;
const AFTER = /^after=(?<seconds>0|[1-9]\d{0,2})$/;

export function isScope(text: string): boolean {
  return SCOPE.test(text);
}

/** Reads the two headers of a request that would make a prompt of this kind. */
export function readScenario(headers: ScenarioHeaders, kind: PromptKind): ReadScenario {
  const scope = readScope(headers);
  if (scope === null) return { ok: false, fault: { header: SCOPE_HEADER } };
  const simulate = headers['x-simulate'];
  if (simulate === undefined) return { ok: true, scenario: { scope, outcome: null } };
  const choice = readChoice(String(simulate), kind);
  return choice.ok ? { ok: true, scenario: { scope, outcome: choice.outcome } } : choice;
}

/** The scope of a request; null if the header is no name of a scope. */
export function readScope({ 'x-miftah-scope': scope }: ScenarioHeaders): string | null {
  if (scope === undefined) return DEFAULT_SCOPE;
  return typeof scope === 'string' && isScope(scope) ? scope : null;
}

type ReadChoice =
  | { readonly ok: true; readonly outcome: ChosenOutcome }
  | { readonly ok: false; readonly fault: ChoiceFault };

/** @param kind null: whatever the flow will be */
function readChoice(text: string, kind: PromptKind | null): ReadChoice {
  const { key = '', parameter } = CHOICE.exec(text)?.groups ?? {};
  if (parameter === undefined) return chooseOutcome({ key, seconds: null }, kind);
  const seconds = AFTER.exec(parameter)?.groups?.['seconds'];
  return chooseOutcome(
    { key, seconds: seconds === undefined ? Number.NaN : Number(seconds) },
    kind,
  );
}

/** @param wanted `seconds` is null for the time that the outcome itself has */
export function chooseOutcome(
  { key, seconds }: { readonly key: string; readonly seconds: number | null },
  kind: PromptKind | null,
): ReadChoice {
  const outcome = outcomeWithKey(key);
  if (outcome === null || !isFor(outcome, kind)) {
    return refuse('outcome', { kind, key }, () => true);
  }
  if (seconds === null) return { ok: true, outcome: { key, afterMs: null } };
  const isTime = Number.isInteger(seconds) && seconds >= 0 && seconds <= MOST_SECONDS;
  if (!isTime || !mayWait(outcome)) return refuse('after', { kind, key }, mayWait);
  return { ok: true, outcome: { key, afterMs: seconds * SECOND_MS } };
}

function refuse(
  what: 'outcome' | 'after',
  { kind, key }: { readonly kind: PromptKind | null; readonly key: string },
  isAllowed: (outcome: Outcome) => boolean,
): Extract<ReadChoice, { ok: false }> {
  const fitting = OUTCOMES.filter((one) => isFor(one, kind) && isAllowed(one));
  const allowed = fitting.map((one) => one.key);
  const near = what === 'outcome' ? nearestOf(key, allowed) : undefined;
  return { ok: false, fault: { header: SIMULATE_HEADER, what, allowed, near } };
}

function isFor(outcome: Outcome, kind: PromptKind | null): boolean {
  return kind === null || flowsOf(outcome).includes(kind);
}

/** The headers that say the same, for a request that is passed on. */
export function scenarioHeaders({ scope, outcome }: Scenario): Readonly<Record<string, string>> {
  return {
    ...(scope === DEFAULT_SCOPE ? {} : { 'x-miftah-scope': scope }),
    ...(outcome === null ? {} : { 'x-simulate': choiceText(outcome) }),
  };
}

/** As in the header, for example `refuses;after=3`. */
export function choiceText({ key, afterMs }: ChosenOutcome): string {
  return afterMs === null ? key : `${key};after=${afterMs / SECOND_MS}`;
}

/** What is wrong with an outcome that is queued, with the member of the body first. */
export function faultOfChoice(fault: ChoiceFault): string {
  const keys = fault.allowed.join(', ');
  return fault.what === 'outcome'
    ? `/outcome: must be one of ${keys}${meantAs(fault.near)}`
    : `/after: must be 0 to ${MOST_SECONDS}, with one of the outcomes ${keys}`;
}

/** The sentence of the simulator about a header that is not allowed. */
export function sentenceOf(fault: ScenarioFault): string {
  if (fault.header === SCOPE_HEADER) {
    return `${SCOPE_HEADER} is 1 to 64 of the characters a-z, 0-9 and hyphen.`;
  }
  const keys = fault.allowed.join(', ');
  return fault.what === 'outcome'
    ? `Here the outcome is one of: ${keys}${meantAs(fault.near)}.`
    : `after is a whole number of seconds from 0 to ${MOST_SECONDS}, here with one of: ${keys}.`;
}
