/** The result of a sign-in for the relying party, with the flaws of reserved outcomes. */
import type { PushContent } from './claims/push-token.ts';
import type { Directory } from './directory.ts';
import type { Delivery, RejectionReason, ResultEffect, TokenFlaw } from './effects.ts';
import { outcomeOf } from './outcome-of.ts';
import type { Person } from './person.ts';
import type { Ms } from './ports.ts';
import { stateOf, type Prompt, type PromptEnd, type PushPrompt } from './prompts.ts';
import { findService } from './services.ts';
import type { EngineSettings } from './settings.ts';
import { isNobody } from './signers.ts';

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
