import type { AttemptRecord, CompletionProof } from '../domain/attempt.ts';
import type { Ms } from '../domain/time.ts';
import type { Person } from '../domain/user.ts';
import type { AttemptWithUser } from '../ports/store.ts';
import { forgetPushes } from './push-budget.ts';
import type { Tools } from './tools.ts';

/** The one place where an attempt becomes authenticated, whichever way the identity came. */
export async function finishLogin(
  tools: Tools,
  { attemptId, flow, locale }: AttemptRecord,
  person: Person,
  completion: CompletionProof | null,
  at: Ms,
): Promise<AttemptWithUser | null> {
  const finished = await tools.store.authenticateAttempt({
    attemptId,
    flow,
    at,
    person,
    preferredLocale: locale,
    completion,
  });
  if (finished !== null) await forgetPushes(tools, person.nationalId);
  return finished;
}
