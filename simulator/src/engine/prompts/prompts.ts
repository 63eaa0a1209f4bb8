/**
 * A prompt waits for a person: a push on the phone, or a sign-in page. It is a value: each
 * transition makes a new one. Its end is final.
 */
import type { PhoneEffect, RejectionReason } from '../outcomes/effects.ts';
import type { Locale } from '../locale.ts';
import type { Outcome } from '../outcomes/outcomes.ts';
import type { Person } from '../people/person.ts';
import type { Ms } from '../ports.ts';

export const PROMPT_KINDS = ['push', 'redirect'] as const;
export type PromptKind = (typeof PROMPT_KINDS)[number];

export const DECISIONS = ['approve', 'refuse', 'not_me', 'wrong_number', 'ignore'] as const;
export type Decision = (typeof DECISIONS)[number];

export type PromptEnd =
  | { readonly state: 'approved'; readonly person: Person; readonly at: Ms }
  | { readonly state: 'rejected'; readonly reason: RejectionReason; readonly at: Ms }
  | { readonly state: 'expired'; readonly at: Ms };

export type PromptState = { readonly state: 'waiting' } | PromptEnd;

interface PromptBase {
  readonly id: string;
  readonly requestId: string;
  /** The scope of the request. */
  readonly scope: string;
  readonly service: string;
  readonly locale: Locale;
  readonly createdAt: Ms;
  /** The first moment at which it can no longer be answered. */
  readonly expiresAt: Ms;
  /** Who signs in on approval, if the decision names nobody else. */
  readonly signer: Person;
  /** The outcome that was chosen for the request; null if the identities decide. */
  readonly chosen: Outcome | null;
  /** The end that the outcome plans; a decision before it has priority. */
  readonly plan: PromptEnd | null;
  /** The person ignored it: the plan no longer applies, and it is no longer listed. */
  readonly ignored: boolean;
  /** The end by a decision; null without one. */
  readonly decided: PromptEnd | null;
}

export interface PushPrompt extends PromptBase {
  readonly kind: 'push';
  readonly nationalId: string;
  /** Whether somebody had the number when it was asked. Then nobody else can approve. */
  readonly isOwned: boolean;
  /** The number to match, `random` in area B. */
  readonly bindingCode: string;
  readonly transactionId: string;
}

export interface RedirectPrompt extends PromptBase {
  readonly kind: 'redirect';
  /** The state's hash and the nonce of its session; null for a page without a session. */
  readonly session: { readonly hashedState: string; readonly nonce: string } | null;
  /** Whether the state has been exchanged for a token, which is possible once. */
  readonly exchanged: boolean;
}

export type Prompt = PushPrompt | RedirectPrompt;

const WAITING: PromptState = { state: 'waiting' };

export function stateOf(prompt: Prompt, now: Ms): PromptState {
  if (prompt.decided !== null) return prompt.decided;
  const end = endByItself(prompt);
  return now < end.at ? WAITING : end;
}

/** How the prompt ends without a decision. On a sign-in page nothing happens before it is opened. */
export function endByItself(prompt: Prompt): PromptEnd {
  const { kind, plan, ignored, expiresAt } = prompt;
  if (kind === 'push' && plan !== null && !ignored && plan.at < expiresAt) return plan;
  return { state: 'expired', at: expiresAt };
}

/** Whether a person would see it: it is still waiting and was not ignored. */
export function isListed(prompt: Prompt, now: Ms): boolean {
  return !prompt.ignored && stateOf(prompt, now).state === 'waiting';
}

/** What the person of a chosen outcome does on the sign-in page when it is open, and when. */
export interface PageAct {
  readonly decision: 'approve' | 'refuse' | 'not_me';
  readonly at: Ms;
}

/** Null if nobody acts by themselves. */
export function actOnPage(prompt: Prompt): PageAct | null {
  const { kind, plan, ignored, decided, expiresAt } = prompt;
  const isOver = ignored || decided !== null || plan === null || plan.at >= expiresAt;
  if (kind !== 'redirect' || isOver || plan.state === 'expired') return null;
  if (plan.state === 'approved') return { decision: 'approve', at: plan.at };
  return { decision: plan.reason === 'not_me' ? 'not_me' : 'refuse', at: plan.at };
}

const REJECTIONS = {
  refuse: 'refused',
  not_me: 'not_me',
  wrong_number: 'wrong_number',
} as const satisfies Record<Exclude<Decision, 'approve' | 'ignore'>, RejectionReason>;

export type Decided =
  | { readonly ok: true; readonly prompt: Prompt }
  | { readonly ok: false; readonly reason: 'ended' | 'not_applicable' };

/** Refuses if the prompt has ended, and refuses `wrong_number` if no number was shown. */
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

/**
 * The end that an outcome plans for a prompt; null if it plans none.
 * @param afterMs when the person acts, after the request; null for the outcome's own time
 */
export function planOf(
  outcome: Outcome | null,
  afterMs: Ms | null,
  { createdAt, expiresAt, signer }: Pick<Prompt, 'createdAt' | 'expiresAt' | 'signer'>,
): PromptEnd | null {
  if (outcome === null || outcome.effect.on === 'answer') return null;
  const { end, delay: usual } = outcome.effect.on === 'phone' ? outcome.effect : APPROVES_AT_ONCE;
  if (end === 'nothing') return null;
  const delay = afterMs === null ? usual : { after: afterMs };
  const wanted = 'after' in delay ? createdAt + delay.after : expiresAt - delay.beforeExpiry;
  const at = Math.max(createdAt, wanted);
  return end === 'approved'
    ? { state: 'approved', person: signer, at }
    : { state: 'rejected', reason: end, at };
}
