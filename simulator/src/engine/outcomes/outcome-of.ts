/**
 * The outcome of a request: by what was chosen for it, or else by who it is. It decides the prompt
 * that is made of the request, and the result that the relying party gets, with the flaws of reserved
 * outcomes.
 */
import type { PushContent } from '../claims/push-token.ts';
import { type Asked, type Directory, isNobody } from '../people/directory.ts';
import type { AnswerFault, Delivery, RejectionReason, ResultEffect, TokenFlaw } from './effects.ts';
import { type Outcome, outcomeFor, outcomeWithKey } from './outcomes.ts';
import type { Person } from '../people/person.ts';
import type { Ms } from '../ports.ts';
import {
  planOf,
  type Prompt,
  type PromptEnd,
  type PushPrompt,
  type RedirectPrompt,
  stateOf,
} from '../prompts/prompts.ts';
import type { PushPromptRequest, RedirectPromptRequest } from '../requests.ts';
import { DEFAULT_SCENARIO, type Scenario } from '../scenario.ts';
import { findService } from '../services.ts';
import type { EngineSettings } from '../settings.ts';

interface OutcomeRequest {
  readonly scenario?: Scenario | null;
  /** Absent where a request names nobody. */
  readonly nationalId?: string;
}

export interface RequestedOutcome {
  readonly scope: string;
  /** Null if the identities decide. */
  readonly chosen: Outcome | null;
  /** The chosen outcome, or that of the identity. */
  readonly outcome: Outcome | null;
  /** When the person acts, after the request; null for the outcome's own time. */
  readonly afterMs: Ms | null;
}

export function requestedOutcome({ scenario, nationalId }: OutcomeRequest): RequestedOutcome {
  const { scope, outcome: choice } = scenario ?? DEFAULT_SCENARIO;
  const chosen = choice === null ? null : outcomeWithKey(choice.key);
  const byIdentity = nationalId === undefined ? null : outcomeFor(nationalId);
  return { scope, chosen, outcome: chosen ?? byIdentity, afterMs: choice?.afterMs ?? null };
}

/** A session request names nobody, so the provider has no record that refuses it. */
export type SessionFault = Exclude<AnswerFault, { kind: 'record' }>;

/** The fault of the answer to a session request with this scenario; null for none. */
export function sessionFault(scenario: Scenario | null): SessionFault | null {
  const effect = requestedOutcome({ scenario }).chosen?.effect;
  const fault = effect?.on === 'answer' ? effect.fault : null;
  return fault === null || fault.kind === 'record' ? null : fault;
}

/**
 * The outcome that a prompt ended with. Without a chosen one it belongs to the person who approves,
 * even if the prompt was for another person, and otherwise to the person who was asked.
 */
export function outcomeOf(prompt: Prompt, end: PromptEnd): Outcome | null {
  if (prompt.chosen !== null) return prompt.chosen;
  if (end.state === 'approved') return outcomeFor(end.person.nationalId);
  return prompt.kind === 'push' ? outcomeFor(prompt.nationalId) : null;
}

const UNTOUCHED = { ignored: false, decided: null } as const;

export function makePush(
  ids: Pick<PushPrompt, 'id' | 'transactionId'>,
  request: PushPromptRequest,
  asked: Asked,
): PushPrompt {
  const { requestId, locale, service, createdAt, expiresAt, nationalId, bindingCode } = request;
  const { scope, chosen, outcome, afterMs } = requestedOutcome(request);
  const signer = withLevelOf(chosen, asked.signer);
  return {
    kind: 'push',
    ...ids,
    requestId,
    scope,
    locale,
    service,
    nationalId,
    isOwned: asked.isOwner,
    bindingCode,
    createdAt,
    expiresAt,
    signer,
    chosen,
    plan: planOf(outcome, afterMs, { createdAt, expiresAt, signer }),
    ...UNTOUCHED,
  };
}

/** Anybody may use a sign-in page, so the default person is preselected. */
export function makeRedirect(
  id: string,
  request: RedirectPromptRequest,
  session: RedirectPrompt['session'],
  asked: Asked,
): RedirectPrompt {
  const { requestId, locale, service, createdAt, expiresAt } = request;
  const { scope, chosen, afterMs } = requestedOutcome({ scenario: request.scenario ?? null });
  const signer = withLevelOf(chosen, asked.signer);
  return {
    kind: 'redirect',
    id,
    requestId,
    scope,
    locale,
    service,
    createdAt,
    expiresAt,
    session,
    exchanged: false,
    signer,
    chosen,
    plan: planOf(chosen, afterMs, { createdAt, expiresAt, signer }),
    ...UNTOUCHED,
  };
}

/** A chosen outcome with a level of assurance gives it to whoever the prompt is for. */
function withLevelOf(chosen: Outcome | null, person: Person): Person {
  const assuranceLevel = chosen?.assuranceLevel;
  return assuranceLevel === undefined ? person : { ...person, assuranceLevel };
}

/** The result that a relying party gets if it checks everything. */
export type SignInResult =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'rejected'; readonly reason: RejectionReason }
  /** `named`: whether the signed result contains the person's name. */
  | { readonly kind: 'approved'; readonly person: Person; readonly named: boolean }
  /** Approved at `since`, without a signed result until `until`, or for ever if that is null. */
  | { readonly kind: 'unsigned'; readonly since: Ms; readonly until: Ms | null }
  /** Approved, but the signed result must be refused. */
  | { readonly kind: 'bad_token'; readonly since: Ms; readonly flaw: TokenFlaw };

/** How long after the approval a late result is signed. */
export const LATE_MS: Ms = 10_000;

const AS_IT_SHOULD: ResultEffect = { on: 'result', delivery: 'once', flaw: null };

/** How the signed result of a prompt with this end is delivered, and what is wrong with it. */
export function effectOn(prompt: Prompt, end: PromptEnd): ResultEffect {
  if (end.state !== 'approved') return AS_IT_SHOULD;
  const effect = outcomeOf(prompt, end)?.effect;
  return effect?.on === 'result' ? effect : AS_IT_SHOULD;
}

type Forms = Pick<EngineSettings, 'services' | 'claimForms'>;

/**
 * How much a push's signed result says: less for a profile and for some services, and different for
 * some outcomes.
 */
export function contentOf(prompt: PushPrompt, end: PromptEnd, forms: Forms): PushContent {
  if (end.state === 'expired') return 'nobody';
  const unusual = outcomeOf(prompt, end)?.contents?.[end.state];
  if (unusual !== undefined) return unusual;
  if (end.state === 'rejected') return 'nobody';
  const isThin = findService(forms.services, prompt.service)?.thin === true;
  return isThin ? 'thin' : forms.claimForms.push;
}

export function resultOf(
  prompt: Prompt,
  now: Ms,
  directory: Directory,
  forms: Forms,
): SignInResult {
  const end = stateOf(prompt, now);
  if (end.state === 'waiting' || end.state === 'expired') return { kind: end.state };
  if (end.state === 'rejected') return { kind: 'rejected', reason: end.reason };
  const { delivery, flaw } = effectOn(prompt, end);
  const until = prompt.kind === 'push' ? signedFrom(delivery, end.at) : end.at;
  if (until === null || now < until) return { kind: 'unsigned', since: end.at, until };
  const named = flaw === 'other_person' ? directory.otherThan(end.person) : end.person;
  const found = isAnother(named, prompt) ? 'other_person' : flaw;
  if (isNobody(end.person)) return { kind: 'bad_token', since: end.at, flaw: 'other_person' };
  // A sign-in page is for anybody, so whoever the token names has signed in.
  return found === null || (found === 'other_person' && prompt.kind === 'redirect')
    ? { kind: 'approved', person: named, named: isNamed(prompt, end, forms) }
    : { kind: 'bad_token', since: end.at, flaw: found };
}

/** The token of a sign-in page always has all claims. */
function isNamed(prompt: Prompt, end: PromptEnd, forms: Forms): boolean {
  return prompt.kind === 'redirect' || contentOf(prompt, end, forms) === 'whole';
}

/** A push to a number without a person may be approved by anybody. */
function isAnother(named: Person, prompt: Prompt): boolean {
  return prompt.kind === 'push' && prompt.isOwned && prompt.nationalId !== named.nationalId;
}

/** When the signed result of a push is available; null if it never is. */
function signedFrom(delivery: Delivery, approvedAt: Ms): Ms | null {
  if (delivery === 'never') return null;
  return delivery === 'late' ? approvedAt + LATE_MS : approvedAt;
}
