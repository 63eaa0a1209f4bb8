/** What an outcome acts on in each flow, and whether it can be told when to act. */
import type { Outcome } from './outcomes.ts';
import type { PromptKind } from '../prompts/prompts.ts';

export const PUSH_TARGETS = ['phone', 'answer', 'result'] as const;
/** `page`: the sign-in page. `answer`: that of the session request. `result`: the exchange. */
export const REDIRECT_TARGETS = ['page', 'answer', 'result'] as const;
type RedirectTarget = (typeof REDIRECT_TARGETS)[number];

/**
 * What an outcome acts on in a sign-in by browser. Null where that has nothing of the kind: a sign-in
 * page shows no number, a session request names nobody, a refusal has no signed result, and there is
 * no callback.
 */
export function redirectTargetOf({
  effect,
  contents,
  tellsExpiry,
}: Outcome): RedirectTarget | null {
  switch (effect.on) {
    case 'phone': {
      const isOfPush =
        effect.end === 'wrong_number' || contents !== undefined || tellsExpiry === true;
      return isOfPush ? null : 'page';
    }
    case 'answer':
      return effect.fault.kind === 'record' ? null : 'answer';
    case 'result':
      return effect.flaw === null ? null : 'result';
  }
}

export function flowsOf(outcome: Outcome): readonly PromptKind[] {
  return redirectTargetOf(outcome) === null ? ['push'] : ['push', 'redirect'];
}

/**
 * Whether the person acts a time after the request, so that it can be another time. A result that
 * comes before the answer to its request leaves no time.
 */
export function mayWait({ effect }: Outcome): boolean {
  switch (effect.on) {
    case 'phone':
      return effect.end !== 'nothing' && 'after' in effect.delay;
    case 'answer':
      return false;
    case 'result':
      return effect.delivery !== 'before_reply';
  }
}
