import { NO_ATTEMPT_ID, parseAttemptId } from '../domain/attempt-id.ts';
import { attemptTokenDigest } from '../domain/attempt-token.ts';
import { provesAttempt } from '../domain/attempt.ts';
import { Refusal } from '../domain/errors/refusal.ts';
import type { AttemptWithUser } from '../ports/store.ts';
import type { Services } from './services.ts';

type Needs = Pick<Services, 'store'>;

/**
 * The attempt of this id, if the token is its own. A malformed id, an unknown one and a wrong token
 * cannot be told apart by the caller, neither by the answer nor by the work done: each is one
 * look-up for id and digest together, and one comparison.
 * @throws Refusal `attempt.not_found`
 */
export async function findProvenAttempt(
  { store }: Needs,
  attemptId: string,
  attemptToken: string,
): Promise<AttemptWithUser> {
  const digest = attemptTokenDigest(attemptToken);
  const found = await store.findProvenAttempt(parseAttemptId(attemptId) ?? NO_ATTEMPT_ID, digest);
  const proven = provesAttempt(found?.attempt ?? null, digest);
  if (found === null || !proven) throw new Refusal('attempt.not_found');
  return found;
}

/** For the operations that the interface document leaves without a credential. @throws Refusal */
export async function findKnownAttempt({ store }: Needs, text: string): Promise<AttemptWithUser> {
  const attemptId = parseAttemptId(text);
  const found = attemptId === null ? null : await store.findAttempt(attemptId);
  if (found === null) throw new Refusal('attempt.not_found');
  return found;
}
