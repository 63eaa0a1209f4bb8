import type { Ms } from '../engine/ports.ts';
import {
  DECISIONS,
  type Decision,
  type Prompt,
  type PromptEnd,
} from '../engine/prompts/prompts.ts';
import type { Entry } from './entry.ts';
import type { PhoneAct, Placed } from './journal.ts';
import { addressIn } from './led-to.ts';
import { readable } from './readable.ts';

/** The calls that send a prompt to the phone, the nearest to the phone first: of the service, of the application. */
const PROMPT_SENDERS = ['mfa_request', 'startAttempt'] as const;
/** By which a person, or a program in their place, decides. */
const DECIDES: ReadonlySet<string> = new Set(['decision', 'completeMfa']);

const NEVER: Ms = Number.POSITIVE_INFINITY;

const DECISION_OF_REASON = {
  refused: 'refuse',
  not_me: 'not_me',
  wrong_number: 'wrong_number',
} as const;

// Entries of one moment stand in the order of `begun`, a count of all that has begun. An act has none of
// its own, so it gets a place between two entries.
/** After the call that sent the prompt, before whatever began later. */
const APPEARED_AFTER = 0.25;
const ENDED_AFTER = 0.5;
/** Before the form that has it, after whatever began earlier. */
const DECIDED_BEFORE = 0.25;

interface Acts {
  /** What is not recorded yet. */
  readonly acts: readonly PhoneAct[];
  /** When there will be another one; Infinity for never. */
  readonly next: Ms;
}

/**
 * What a phone has done by itself until now: the prompt appeared, and its outcome has ended it at its
 * time. Nobody is called at these moments, so they follow from the prompt. The decision of a person on
 * the service's own page follows from its form.
 * @param recorded without these acts, or with those that were recorded before
 */
export function actsOf(prompt: Prompt | null, recorded: readonly Placed[], now: Ms): Acts {
  if (prompt?.kind !== 'push') return { acts: pageActs(recorded), next: NEVER };
  const { at, begun } = sendingOf(prompt, recorded);
  const has = recorded.some(({ entry }) => entry.side === 'phone' && entry.name === 'prompt');
  const appeared: PhoneAct = {
    entry: { at, side: 'phone', name: 'prompt', exchange: null, act: null },
    begun: begun + APPEARED_AFTER,
  };
  const shown = has ? [] : [appeared];
  const end = plannedEnd(prompt);
  if (end === null) return { acts: shown, next: NEVER };
  if (end.at > now) return { acts: shown, next: end.at };
  // By the clock of the time line: that of the provider may be ahead of it.
  const entry = endingOf(end, at + end.at - prompt.createdAt);
  const isDecided = recorded.some((one) => decides(one.entry) && one.entry.at <= entry.at);
  const ended = isDecided ? [] : [{ entry, begun: begun + ENDED_AFTER }];
  return { acts: [...shown, ...ended], next: NEVER };
}

function sendingOf({ createdAt }: Prompt, recorded: readonly Placed[]) {
  const found = PROMPT_SENDERS.map((name) => recorded.find(({ entry }) => entry.name === name));
  const start = found.find((one) => one !== undefined);
  return { at: start?.entry.at ?? createdAt, begun: start?.begun ?? 0 };
}

/** A decision on the sign-in page of the service is a form whose answer leads back from there. */
function pageActs(recorded: readonly Placed[]): readonly PhoneAct[] {
  if (recorded.some(isPageAct)) return [];
  const form = recorded.find(({ entry }) => decisionOf(entry) !== null);
  const decision = form === undefined ? null : decisionOf(form.entry);
  if (form === undefined || decision === null) return [];
  const act = { decision, by: 'person' } as const;
  const { at } = form.entry;
  const entry = { at, side: 'browser', name: 'decision', exchange: null, act } as const;
  // The answer of the service sends the browser back: the person has answered before it.
  return [{ entry, begun: form.begun - DECIDED_BEFORE }];
}

function isPageAct({ entry: { side, name } }: Placed): boolean {
  return side === 'browser' && name === 'decision';
}

/** Null for a call that is no decision, or was refused. */
function decisionOf(entry: Entry): Decision | null {
  const { name, exchange } = entry;
  if (name !== 'callback' || exchange === null || addressIn(exchange) === null) return null;
  const { body } = readable(entry).exchange?.request ?? { body: null };
  const has = typeof body === 'object' && body !== null && 'decision' in body;
  return has ? (DECISIONS.find((one) => one === body.decision) ?? null) : null;
}

function plannedEnd({ plan, ignored, decided, expiresAt }: Prompt): PromptEnd | null {
  if (plan === null || ignored || decided !== null) return null;
  return plan.at < expiresAt ? plan : null;
}

function endingOf(end: PromptEnd, at: Ms): Entry {
  const decision = end.state === 'rejected' ? DECISION_OF_REASON[end.reason] : 'approve';
  const act = { decision, by: 'outcome' } as const;
  return { at, side: 'phone', name: 'decision', exchange: null, act };
}

function decides({ name, act }: Entry): boolean {
  return DECIDES.has(name) && act?.decision !== 'ignore';
}
