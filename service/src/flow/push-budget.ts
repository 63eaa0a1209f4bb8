import type { AttemptRecord } from '../domain/attempt.ts';
import { keyedDigestText, type Digest } from '../domain/digest.ts';
import { Refusal } from '../domain/errors/refusal.ts';
import { isLive } from '../domain/mode.ts';
import type { NationalId } from '../domain/national-id.ts';
import { PUSH_BUDGET } from '../domain/push-budget.ts';
import type { Ms } from '../domain/time.ts';
import type { Tools } from './tools.ts';

const RETRY_SECONDS = 60;

/**
 * Counts a push against the budgets of the person, the client and the service, before the provider
 * is asked: known and unknown identifiers spend alike. @throws Refusal `push.budget_spent`
 */
export async function admitPush(tools: Tools, record: AttemptRecord, at: Ms): Promise<void> {
  const { attemptId, client, nationalId } = record;
  if (!isLive(tools.mode) || nationalId === null) return;
  const personDigest = personDigestOf(tools, nationalId);
  const wish = { attemptId, personDigest, client, at, budget: PUSH_BUDGET };
  if (await tools.store.admitPush(wish)) return;
  throw new Refusal('push.budget_spent', { retryAfterSeconds: RETRY_SECONDS });
}

/** A person who has signed in was not being worn down: their budgets begin anew. */
export async function forgetPushes(tools: Tools, nationalId: NationalId): Promise<void> {
  if (isLive(tools.mode)) await tools.store.forgetPushes(personDigestOf(tools, nationalId));
}

function personDigestOf({ serverKey }: Tools, nationalId: NationalId): Digest {
  return keyedDigestText(serverKey, 'push-budget', nationalId);
}
