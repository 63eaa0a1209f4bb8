/** What becomes of a sign-in for the relying party, flaws and all. */
import type { Directory } from './directory.ts';
import type { Delivery, RejectionReason, ResultEffect, TokenFlaw } from './effects.ts';
import { outcomeFor } from './outcomes.ts';
import type { Person } from './person.ts';
import type { Ms } from './ports.ts';
import { stateOf, type Prompt, type PromptEnd } from './prompts.ts';

/** What a relying party that checks everything would make of a prompt. */
export type SignInResult =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'rejected'; readonly reason: RejectionReason }
  | { readonly kind: 'approved'; readonly person: Person }
  /** Approved `since` then, and nothing signed that says so: until a moment, or for ever. */
  | { readonly kind: 'unsigned'; readonly since: Ms; readonly until: Ms | null }
  /** Approved, and the signed result of it has to be refused. */
  | { readonly kind: 'bad_token'; readonly since: Ms; readonly flaw: TokenFlaw };

/** How much later than the approval a late result is signed. */
export const LATE_MS: Ms = 10_000;

const AS_IT_SHOULD: ResultEffect = { on: 'result', delivery: 'once', flaw: null };

/** A flaw goes with the one who approves, however they came to be asked. */
export function effectOn(end: PromptEnd): ResultEffect {
  if (end.state !== 'approved') return AS_IT_SHOULD;
  const effect = outcomeFor(end.person.nationalId)?.effect;
  return effect?.on === 'result' ? effect : AS_IT_SHOULD;
}

export function resultOf(prompt: Prompt, now: Ms, directory: Directory): SignInResult {
  const end = stateOf(prompt, now);
  if (end.state === 'waiting' || end.state === 'expired') return { kind: end.state };
  if (end.state === 'rejected') return { kind: 'rejected', reason: end.reason };
  const { delivery, flaw } = effectOn(end);
  const until = prompt.kind === 'push' ? signedFrom(delivery, end.at) : end.at;
  if (until === null || now < until) return { kind: 'unsigned', since: end.at, until };
  const named = flaw === 'other_person' ? directory.otherThan(end.person) : end.person;
  const found = isAnother(named, prompt, directory) ? 'other_person' : flaw;
  // On a sign-in page nobody was asked for: whoever the token names is the one who signs in.
  return found === null || (found === 'other_person' && prompt.kind === 'redirect')
    ? { kind: 'approved', person: named }
    : { kind: 'bad_token', since: end.at, flaw: found };
}

/** A number that nobody has says nothing of who it should have been. */
function isAnother(named: Person, prompt: Prompt, directory: Directory): boolean {
  const asked = prompt.kind === 'push' ? directory.byNationalId(prompt.nationalId) : null;
  return asked !== null && asked.nationalId !== named.nationalId;
}

/** When the signed result of a push is there; null when it never will be. */
function signedFrom(delivery: Delivery, approvedAt: Ms): Ms | null {
  if (delivery === 'never') return null;
  return delivery === 'late' ? approvedAt + LATE_MS : approvedAt;
}
