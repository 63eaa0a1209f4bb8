import type { Ms } from '../engine/ports.ts';
import {
  DECISIONS as DECISION_NAMES,
  type Decision,
  type Prompt,
  type PromptEnd,
} from '../engine/prompts.ts';
import type { Entry } from './entry.ts';
import type { Numbered } from './journal.ts';
import { readable } from './readable.ts';

/** The call that sends a prompt to the phone: of the application, and of the service. */
const STARTS: ReadonlySet<string> = new Set(['startAttempt', 'mfa_request']);
/** By which a person, or a program in their place, decides. */
const DECIDES: ReadonlySet<string> = new Set(['decision', 'completeMfa']);

const DECISIONS = {
  refused: 'refuse',
  not_me: 'not_me',
  wrong_number: 'wrong_number',
} as const;

/**
 * Puts the acts of a phone between what was recorded: that the prompt appeared, and the end that its
 * outcome makes at its time. Nobody is called at these moments, so they follow from the prompt. The
 * decision of a person on the service's own page follows from its form.
 */
export function withActsOf(
  prompt: Prompt | null,
  recorded: readonly Numbered[],
  now: Ms,
): readonly Numbered[] {
  if (prompt?.kind !== 'push') return withPageActs(recorded);
  const start = recorded.findLastIndex(({ entry }) => STARTS.has(entry.name));
  const at = recorded[start]?.entry.at ?? prompt.createdAt;
  const appeared = { at, side: 'phone', name: 'prompt', exchange: null, act: null } as const;
  const shown = inserted(recorded, start + 1, appeared);
  const end = plannedEnd(prompt, now);
  if (end === null) return shown;
  // By the clock of the time line: that of the provider may be ahead of it.
  const acted = actOf(end, at + end.at - prompt.createdAt);
  const isDecided = recorded.some(({ entry }) => decides(entry) && entry.at <= acted.at);
  if (isDecided) return shown;
  const after = shown.findIndex(({ entry }, index) => index > start + 1 && entry.at >= acted.at);
  return inserted(shown, after === -1 ? shown.length : after, acted);
}

/** A decision on the sign-in page of the service is a form that it has answered with a redirect. */
function withPageActs(recorded: readonly Numbered[]): readonly Numbered[] {
  const at = recorded.findLastIndex(({ entry }) => decisionOf(entry) !== null);
  const form = recorded[at]?.entry;
  const decision = form === undefined ? null : decisionOf(form);
  if (form === undefined || decision === null) return recorded;
  const act = { decision, by: 'person' } as const;
  const acted = { at: form.at, side: 'browser', name: 'decision', exchange: null, act } as const;
  return inserted(recorded, at + 1, acted);
}

/** Null for a call that is no decision, or was refused. */
function decisionOf(entry: Entry): Decision | null {
  const { name, exchange } = entry;
  if (name !== 'callback' || exchange?.status !== 303) return null;
  const { body } = readable(entry).exchange?.request ?? { body: null };
  const has = typeof body === 'object' && body !== null && 'decision' in body;
  return has ? (DECISION_NAMES.find((one) => one === body.decision) ?? null) : null;
}

function plannedEnd({ plan, ignored, decided, expiresAt }: Prompt, now: Ms): PromptEnd | null {
  if (plan === null || ignored || decided !== null) return null;
  return plan.at <= now && plan.at < expiresAt ? plan : null;
}

function actOf(end: PromptEnd, at: Ms): Entry {
  const decision = end.state === 'rejected' ? DECISIONS[end.reason] : 'approve';
  const act = { decision, by: 'outcome' } as const;
  return { at, side: 'phone', name: 'decision', exchange: null, act };
}

function decides({ name, act }: Entry): boolean {
  return DECIDES.has(name) && act?.decision !== 'ignore';
}

/** What follows has the next numbers. */
function inserted(entries: readonly Numbered[], index: number, entry: Entry): readonly Numbered[] {
  const before = entries.slice(0, index);
  const number = (before.at(-1)?.number ?? 0) + 1;
  const after = entries.slice(index).map((one) => ({ ...one, number: one.number + 1 }));
  return [...before, { number, entry }, ...after];
}
