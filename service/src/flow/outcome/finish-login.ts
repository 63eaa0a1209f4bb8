import type { AttemptRecord, CompletionProof } from '../../domain/attempt.ts';
import type { Ms } from '../../domain/time.ts';
import { completedBy, isNamed, type Person } from '../../domain/user.ts';
import type { AttemptWithUser } from '../../ports/store.ts';
import { forgetPushes } from './push-budget.ts';
import type { Services } from '../services.ts';

/** The one place where an attempt becomes authenticated, whichever way the identity came. */
export async function finishLogin(
  services: Services,
  { attemptId, flow, locale }: AttemptRecord,
  person: Person,
  completion: CompletionProof | null,
  at: Ms,
): Promise<AttemptWithUser | null> {
  const stored = isNamed(person) ? null : await services.store.findPerson(person);
  const finished = await services.store.authenticateAttempt({
    attemptId,
    flow,
    at,
    person: stored === null ? person : completedBy(person, stored),
    preferredLocale: locale,
    completion,
  });
  if (finished !== null) await forgetPushes(services, person.nationalId);
  return finished;
}
