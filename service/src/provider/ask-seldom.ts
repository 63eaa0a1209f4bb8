import type { AttemptId } from '../values/ids.ts';
import { Refusal } from '../errors/refusal.ts';
import type { Ms } from '../values/time.ts';
import type { StatusPolls } from '../platform/coordination/coordination.port.ts';
import type { UnsignedResult } from './identity-provider.port.ts';

/**
 * Asks the provider for the status of a push. `address`: the person's address at the start, if
 * known.
 */
type Question = (address: string | null) => Promise<UnsignedResult>;

/**
 * Limits status requests to the provider, however often applications ask us: one request serves all
 * callers. If the provider gives no answer, callers get the latest known status, or `waiting`.
 * @throws everything but a Refusal: it is an error of our own code
 */
export async function askSeldom(
  polls: StatusPolls,
  attemptId: AttemptId,
  now: Ms,
  ask: Question,
): Promise<UnsignedResult> {
  const { isDue, question, latest, address } = await polls.claim(attemptId, now);
  if (!isDue) return latest;
  const answer = await ask(address).catch(noAnswer);
  if (answer === null) return latest;
  await polls.answer(attemptId, question, answer);
  return answer;
}

function noAnswer(error: unknown): null {
  if (error instanceof Refusal) return null;
  throw error;
}
