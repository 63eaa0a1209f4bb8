import type { Ms } from '../engine/ports.ts';
import type { Decision, Prompt } from '../engine/prompts/prompts.ts';
import type { MovableTime } from '../platform/movable-time.ts';
import type { Act } from './entry.ts';
import type { Journal } from './journal.ts';

interface Recording {
  readonly journal: Journal;
  readonly time: Pick<MovableTime, 'now'>;
}

/**
 * Somebody has decided a prompt, on the phone or on the sign-in page: a person, a program in their
 * place, or the outcome that was chosen.
 */
export function recordDecision(
  { journal, time }: Recording,
  prompt: Prompt,
  { decision, by = 'person' }: { readonly decision: Decision; readonly by?: Act['by'] },
): void {
  record(journal, prompt, { name: 'decision', at: time.now(), act: { decision, by } });
}

/** The sign-in page was shown. */
export function recordPage({ journal, time }: Recording, prompt: Prompt): void {
  record(journal, prompt, { name: 'page', at: time.now(), act: null });
}

function record(
  journal: Journal,
  { kind, requestId, scope }: Prompt,
  { name, at, act }: { readonly name: string; readonly at: Ms; readonly act: Act | null },
): void {
  const side = kind === 'push' ? 'phone' : 'browser';
  journal.record(requestId, scope, { at, side, name, exchange: null, act });
}
