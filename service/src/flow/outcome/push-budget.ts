import type { AttemptRecord } from '../../domain/attempt.ts';
import { keyedDigestText, type Digest } from '../../domain/digest.ts';
import { Refusal } from '../../domain/errors/refusal.ts';
import type { NationalId } from '../../domain/national-id.ts';
import { PUSH_BUDGET } from '../../domain/push-budget.ts';
import type { Ms } from '../../domain/time.ts';
import { report } from '../report.ts';
import type { Services } from '../services.ts';

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
  services: Services,
  record: AttemptRecord,
  at: Ms,
  send: () => Promise<Answer>,
): Promise<Answer> {
  if (!services.rules.hasPushBudgets) return send();
  const { unknownIds } = services;
  const { attemptId, client } = record;
  if (unknownIds.isSpent(client, at) || !(await admit(services, record, at))) {
    await report(services, { at, action: 'push.suppressed', attemptId, client });
    throw new Refusal('push.budget_spent', { retryAfterSeconds: RETRY_SECONDS });
  }
  return send().catch(async (error: unknown) => {
    if (isUnknownId(error) && unknownIds.add(client, at)) {
      await report(services, { at, action: 'enumeration.suspected', attemptId, client });
    }
    if (isUnsent(error)) await withdraw(services, record);
    throw error;
  });
}

/** Gives back a push that was never sent: an outage of the provider would use up people's budgets. */
async function withdraw(
  services: Services,
  { attemptId, nationalId }: AttemptRecord,
): Promise<void> {
  if (nationalId === null) return;
  await services.store.withdrawPush(attemptId, personDigestOf(services, nationalId));
}

function isUnsent(error: unknown): boolean {
  return error instanceof Refusal && error.details.isUnsent === true;
}

async function admit(services: Services, record: AttemptRecord, at: Ms): Promise<boolean> {
  const { attemptId, client, nationalId } = record;
  if (nationalId === null) return false;
  const personDigest = personDigestOf(services, nationalId);
  return services.store.admitPush({ attemptId, personDigest, client, at, budget: PUSH_BUDGET });
}

function isUnknownId(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'provider.record_not_found';
}

/** A sign-in that succeeded resets the budget of its person. */
export async function forgetPushes(services: Services, nationalId: NationalId): Promise<void> {
  if (!services.rules.hasPushBudgets) return;
  await services.store.forgetPushes(personDigestOf(services, nationalId));
}

function personDigestOf({ serverKey }: Services, nationalId: NationalId): Digest {
  return keyedDigestText(serverKey, 'push-budget', nationalId);
}
