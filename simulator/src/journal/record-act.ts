import type { Ms } from '../engine/ports.ts';
import type { Decision, Prompt } from '../engine/prompts.ts';
import type { Act } from './entry.ts';
import type { Journal } from './journal.ts';

/** A person has decided a prompt, on the phone or on the sign-in page, or a program in their place. */
export function recordDecision(
  journal: Journal,
  prompt: Prompt,
  { decision, at }: { readonly decision: Decision; readonly at: Ms },
): void {
  recordAct(journal, prompt, { name: 'decision', at, act: { decision, by: 'person' } });
}

function recordAct(
  journal: Journal,
  { kind, requestId, scope }: Prompt,
  { name, at, act }: { readonly name: string; readonly at: Ms; readonly act: Act },
): void {
  const side = kind === 'push' ? 'phone' : 'browser';
  journal.record(requestId, scope, { at, side, name, exchange: null, act });
}
