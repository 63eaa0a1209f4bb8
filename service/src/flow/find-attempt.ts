import { parseAttemptId } from '../domain/attempt-id.ts';
import { attemptTokenDigest } from '../domain/attempt-token.ts';
import { provesAttempt } from '../domain/attempt.ts';
import { Refusal } from '../domain/errors/refusal.ts';
import type { AttemptWithUser } from '../ports/store.ts';
import type { Tools } from './tools.ts';

/**
 * The attempt of this id, if the token is its own. A malformed id, an unknown one and a wrong token
 * cannot be told apart by the caller, neither by the answer nor by the work done.
 * @throws Refusal `attempt.not_found`
 */
export async function findProvenAttempt(
  tools: Tools,
  attemptId: string,
  attemptToken: string,
): Promise<AttemptWithUser> {
  const found = await findByText(tools, attemptId);
  const proven = provesAttempt(found?.attempt ?? null, attemptTokenDigest(attemptToken));
  if (found === null || !proven) throw new Refusal('attempt.not_found');
  return found;
}

/** For the operations that the interface document leaves without a credential. @throws Refusal */
export async function findKnownAttempt(tools: Tools, attemptId: string): Promise<AttemptWithUser> {
  const found = await findByText(tools, attemptId);
  if (found === null) throw new Refusal('attempt.not_found');
  return found;
}

async function findByText({ store }: Tools, text: string): Promise<AttemptWithUser | null> {
  const attemptId = parseAttemptId(text);
  return attemptId === null ? null : store.findAttempt(attemptId);
}
