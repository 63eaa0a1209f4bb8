import type { AttemptRecord } from '../domain/attempt.ts';
import { keyedDigestText, type Digest } from '../domain/digest.ts';
import { Refusal } from '../domain/errors/refusal.ts';
import type { NationalId } from '../domain/national-id.ts';
import { PUSH_BUDGET } from '../domain/push-budget.ts';
import type { Ms } from '../domain/time.ts';
import { report } from './report.ts';
import type { Tools } from './tools.ts';

/** When to ask again, not when the budget is free: the windows are of ten minutes and of a day. */
const RETRY_SECONDS = 60;

/**
 * Sends a push if the budgets of the person, the client and the service allow it. They are charged
 * before the provider is asked, so that an unknown number costs as much as a known one; a push that
 * was never sent is given back. A client that asks for too many unknown numbers in a minute sends no
 * more pushes in that minute.
 * @throws Refusal `push.budget_spent`, or the provider's
 */
export async function withinBudget<Answer>(
  tools: Tools,
  record: AttemptRecord,
  at: Ms,
  send: () => Promise<Answer>,
): Promise<Answer> {
  if (!tools.rules.hasPushBudgets) return send();
  const { unknownIds } = tools;
  const { attemptId, client } = record;
  if (unknownIds.isSpent(client, at) || !(await admit(tools, record, at))) {
    await report(tools, { at, action: 'push.suppressed', attemptId, client });
    throw new Refusal('push.budget_spent', { retryAfterSeconds: RETRY_SECONDS });
  }
  return send().catch(async (error: unknown) => {
    if (isUnknownId(error) && unknownIds.add(client, at)) {
      await report(tools, { at, action: 'enumeration.suspected', attemptId, client });
    }
    if (isUnsent(error)) await withdraw(tools, record);
    throw error;
  });
}

/** Gives back a push that was never sent: an outage of the provider would use up people's budgets. */
async function withdraw(tools: Tools, { attemptId, nationalId }: AttemptRecord): Promise<void> {
  if (nationalId === null) return;
  await tools.store.withdrawPush(attemptId, personDigestOf(tools, nationalId));
}

function isUnsent(error: unknown): boolean {
  return error instanceof Refusal && error.details.isUnsent === true;
}

async function admit(tools: Tools, record: AttemptRecord, at: Ms): Promise<boolean> {
  const { attemptId, client, nationalId } = record;
  if (nationalId === null) return false;
  const personDigest = personDigestOf(tools, nationalId);
  return tools.store.admitPush({ attemptId, personDigest, client, at, budget: PUSH_BUDGET });
}

function isUnknownId(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'provider.record_not_found';
}

/** A sign-in that succeeded resets the budget of its person. */
export async function forgetPushes(tools: Tools, nationalId: NationalId): Promise<void> {
  if (!tools.rules.hasPushBudgets) return;
  await tools.store.forgetPushes(personDigestOf(tools, nationalId));
}

function personDigestOf({ serverKey }: Tools, nationalId: NationalId): Digest {
  return keyedDigestText(serverKey, 'push-budget', nationalId);
}
