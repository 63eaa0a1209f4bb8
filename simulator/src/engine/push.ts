import type { AnswerFault } from './effects.ts';
import type { Ms } from './ports.ts';
import { stateOf, type PromptState, type PushPrompt } from './prompts.ts';
import type { StatusQuery } from './requests.ts';
import type { PushAccepted, PushStatus, TransportFault } from './results.ts';

const STATUSES = {
  waiting: 'WAITING',
  approved: 'COMPLETED',
  rejected: 'REJECTED',
  expired: 'EXPIRED',
} as const satisfies Record<PromptState['state'], PushStatus>;

/** The statement that the provider makes about a push; it says nothing of who the person is. */
export function statusOf(prompt: PushPrompt, now: Ms): PushStatus {
  return STATUSES[stateOf(prompt, now).state];
}

export function accepted(prompt: PushPrompt): PushAccepted {
  return {
    ok: true,
    promptId: prompt.id,
    transactionId: prompt.transactionId,
    bindingCode: prompt.bindingCode,
    expiresAt: prompt.expiresAt,
  };
}

export function matches(prompt: PushPrompt, query: StatusQuery): boolean {
  return prompt.nationalId === query.nationalId && prompt.bindingCode === query.bindingCode;
}

/** The push exists and the person is asked; it is the answer to the caller that fails. */
type LosingFault = Extract<AnswerFault, { kind: 'malformed' | 'cut' | 'timeout' }>;

/** What the caller gets in place of this answer. */
export function lost(fault: LosingFault, answer: PushAccepted): TransportFault {
  const { kind } = fault;
  if (kind === 'timeout') return { ok: false, kind, afterMs: fault.afterMs, late: answer };
  return { ok: false, kind, body: broken(answer) };
}

/** The answer up to the middle of its last member, as from a proxy that has lost its server. */
function broken({ transactionId }: PushAccepted): string {
  return `{"transId":"${transactionId}","random":"`;
}
