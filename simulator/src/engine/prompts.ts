/**
 * A prompt is what waits for a person: a push on the phone, or a sign-in page. It is a value; each
 * transition makes a new one, and an end is final.
 */
import type { PhoneEffect, RejectionReason } from './effects.ts';
import type { Locale } from './locale.ts';
import type { Outcome } from './outcomes.ts';
import type { Person } from './person.ts';
import type { Ms } from './ports.ts';

export const PROMPT_KINDS = ['push', 'redirect'] as const;
export type PromptKind = (typeof PROMPT_KINDS)[number];

export const DECISIONS = ['approve', 'refuse', 'not_me', 'wrong_number', 'ignore'] as const;
export type Decision = (typeof DECISIONS)[number];

export type PromptEnd =
  | { readonly state: 'approved'; readonly person: Person; readonly at: Ms }
  | { readonly state: 'rejected'; readonly reason: RejectionReason; readonly at: Ms }
  | { readonly state: 'expired'; readonly at: Ms };

export type PromptState = { readonly state: 'waiting' } | PromptEnd;

/**
 * Where a prompt came from: over the wire of area B, or from a service in the same process. The two
 * never share a request, whatever ids a caller on the wire makes up.
 */
export const CHANNELS = ['wire', 'process'] as const;
export type Channel = (typeof CHANNELS)[number];

interface PromptBase {
  readonly channel: Channel;
  readonly id: string;
  readonly requestId: string;
  readonly service: string;
  readonly locale: Locale;
  readonly createdAt: Ms;
  /** The first moment at which nobody can answer any more. */
  readonly expiresAt: Ms;
  /** Who signs in on approval, unless the decision names somebody else. */
  readonly signer: Person;
  /** What a reserved outcome does by itself, unless somebody decides before it. */
  readonly plan: PromptEnd | null;
  /** Put aside by the person: nothing happens by itself, and it is no longer listed. */
  readonly ignored: boolean;
  /** What somebody decided. */
  readonly decided: PromptEnd | null;
}

export interface PushPrompt extends PromptBase {
  readonly kind: 'push';
  readonly nationalId: string;
  /** The number to match, `random` on the wire. */
  readonly bindingCode: string;
  readonly transactionId: string;
}

export interface RedirectPrompt extends PromptBase {
  readonly kind: 'redirect';
  /** What the session handed out; null where the page was opened without one. */
  readonly session: { readonly hashedState: string; readonly nonce: string } | null;
  /** Whether the state has been exchanged for a token: it works once. */
  readonly exchanged: boolean;
}

export type Prompt = PushPrompt | RedirectPrompt;

const WAITING: PromptState = { state: 'waiting' };

export function stateOf(prompt: Prompt, now: Ms): PromptState {
  if (prompt.decided !== null) return prompt.decided;
  const end = endByItself(prompt);
  return now < end.at ? WAITING : end;
}

/** How the prompt ends if nobody decides. */
export function endByItself(prompt: Prompt): PromptEnd {
  const { plan, ignored, expiresAt } = prompt;
  if (plan !== null && !ignored && plan.at < expiresAt) return plan;
  return { state: 'expired', at: expiresAt };
}

/** Whether a person would see it: still open, and not put aside. */
export function isListed(prompt: Prompt, now: Ms): boolean {
  return !prompt.ignored && stateOf(prompt, now).state === 'waiting';
}

const REJECTIONS = {
  refuse: 'refused',
  not_me: 'not_me',
  wrong_number: 'wrong_number',
} as const satisfies Record<Exclude<Decision, 'approve' | 'ignore'>, RejectionReason>;

export type Decided =
  | { readonly ok: true; readonly prompt: Prompt }
  | { readonly ok: false; readonly reason: 'ended' | 'not_applicable' };

/** Refuses once the prompt has ended, and refuses a wrong number where none was shown. */
export function decide(prompt: Prompt, decision: Decision, person: Person | null, at: Ms): Decided {
  if (stateOf(prompt, at).state !== 'waiting') return { ok: false, reason: 'ended' };
  if (decision === 'wrong_number' && prompt.kind === 'redirect') {
    return { ok: false, reason: 'not_applicable' };
  }
  if (decision === 'ignore') return { ok: true, prompt: { ...prompt, ignored: true } };
  const decided: PromptEnd =
    decision === 'approve'
      ? { state: 'approved', person: person ?? prompt.signer, at }
      : { state: 'rejected', reason: REJECTIONS[decision], at };
  return { ok: true, prompt: { ...prompt, decided } };
}

const APPROVES_AT_ONCE: Omit<PhoneEffect, 'on'> = { end: 'approved', delay: { after: 0 } };

/** The end that an outcome prescribes for a prompt of this lifetime; null when it leaves it alone. */
export function planOf(
  outcome: Outcome | null,
  { createdAt, expiresAt, signer }: Pick<Prompt, 'createdAt' | 'expiresAt' | 'signer'>,
): PromptEnd | null {
  if (outcome === null || outcome.effect.on === 'answer') return null;
  const { end, delay } = outcome.effect.on === 'phone' ? outcome.effect : APPROVES_AT_ONCE;
  if (end === 'nothing') return null;
  const wanted = 'after' in delay ? createdAt + delay.after : expiresAt - delay.beforeExpiry;
  const at = Math.max(createdAt, wanted);
  return end === 'approved'
    ? { state: 'approved', person: signer, at }
    : { state: 'rejected', reason: end, at };
}
