import type { AttemptRecord, CompletionProof } from '../domain/attempt.ts';
import type { Ms } from '../domain/time.ts';
import { completedBy, isNamed, type Person } from '../domain/user.ts';
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
  const stored = isNamed(person) ? null : await tools.store.findPerson(person);
  const finished = await tools.store.authenticateAttempt({
    attemptId,
    flow,
    at,
    person: stored === null ? person : completedBy(person, stored),
    preferredLocale: locale,
    completion,
  });
  if (finished !== null) await forgetPushes(tools, person.nationalId);
  return finished;
}
