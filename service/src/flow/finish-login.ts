import type { AttemptRecord, CompletionProof } from '../domain/attempt.ts';
import type { Ms } from '../domain/time.ts';
import type { Person } from '../domain/user.ts';
import type { Tools } from './tools.ts';

/** The one place where an attempt becomes authenticated, whichever way the identity came. */
export async function finishLogin(
  { store }: Tools,
  { attemptId, flow, locale }: AttemptRecord,
  person: Person,
  completion: CompletionProof | null,
  at: Ms,
): Promise<void> {
  await store.authenticateAttempt({
    attemptId,
    flow,
    at,
    person,
    preferredLocale: locale,
    completion,
  });
}
