import type { AttemptId } from '../domain/attempt-id.ts';
import type { Ms } from '../domain/time.ts';
import type { StatusPolls } from '../ports/coordination.ts';
import type { UnsignedResult } from '../ports/identity-provider.ts';

/** Told where the person was at the start, as far as that is known. */
type Question = (address: string | null) => Promise<UnsignedResult>;

/**
 * However often an application asks us, the provider is asked seldom, once for all who wait, and
 * its troubles are not theirs: what is not known is `waiting`.
 */
export async function askSeldom(
  polls: StatusPolls,
  attemptId: AttemptId,
  now: Ms,
  ask: Question,
): Promise<UnsignedResult> {
  const { isDue, question, latest, address } = await polls.claim(attemptId, now);
  if (!isDue) return latest;
  const answer = await ask(address).catch(() => null);
  if (answer === null) return latest;
  await polls.answer(attemptId, question, answer);
  return answer;
}
