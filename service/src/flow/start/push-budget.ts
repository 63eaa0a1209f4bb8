import type { AttemptRecord } from '../../domain/attempt.ts';
import { Refusal } from '../../domain/errors/refusal.ts';
import { UNKNOWN_IDS } from '../../domain/limits.ts';
import { budgetDigest, PUSH_BUDGET } from '../../domain/push-budget.ts';
import type { Ms } from '../../domain/time.ts';
import { report } from '../report.ts';
import type { Services } from '../services.ts';

/** When to ask again, not when the budget is free: the windows are of ten minutes and of a day. */
const RETRY_SECONDS = 60;

export type BudgetServices = Pick<
  Services,
  'store' | 'rules' | 'serverKey' | 'unknownIds' | 'repeated' | 'meter'
>;

/**
 * Charges a push to the budgets of the person, the client and the service, before the provider is
 * asked: an unknown number costs as much as a known one. A client that asks for too many unknown
 * numbers in a minute sends no more pushes in that minute.
 * @throws Refusal `push.budget_spent`
 */
export async function admitPush(
  services: BudgetServices,
  record: AttemptRecord,
  at: Ms,
): Promise<void> {
  if (!services.rules.hasPushBudgets) return;
  const { attemptId, client } = record;
  const isTrying = await isTryingNumbers(services, client, at);
  if (!isTrying && (await charge(services, record, at))) return;
  await report(services, { at, action: 'push.suppressed', attemptId, client });
  throw new Refusal('push.budget_spent', { retryAfterSeconds: RETRY_SECONDS });
}

/** After the provider has refused a push: an unknown number is counted, one never sent is given back. */
export async function settleRefusedPush(
  services: BudgetServices,
  record: AttemptRecord,
  error: unknown,
  at: Ms,
): Promise<void> {
  if (!services.rules.hasPushBudgets) return;
  const { attemptId, client } = record;
  if (isUnknownId(error) && (await isLastUnknown(services, client, at))) {
    await report(services, { at, action: 'enumeration.suspected', attemptId, client });
  }
  if (isUnsent(error)) await withdraw(services, record);
}

type Counting = Pick<BudgetServices, 'unknownIds'>;

/** Whether the client has asked for as many unknown numbers as a minute allows. */
async function isTryingNumbers({ unknownIds }: Counting, client: string, at: Ms): Promise<boolean> {
  return !(await unknownIds.peek(UNKNOWN_IDS, client, at)).allowed;
}

/** Counts one unknown number; true for the one that was the last allowed, however many come at once. */
async function isLastUnknown({ unknownIds }: Counting, client: string, at: Ms): Promise<boolean> {
  const { allowed, remaining } = await unknownIds.consume(UNKNOWN_IDS, client, at);
  return allowed && remaining === 0;
}

/** Gives back a push that was never sent: an outage of the provider would use up people's budgets. */
async function withdraw(
  services: BudgetServices,
  { attemptId, nationalId }: AttemptRecord,
): Promise<void> {
  if (nationalId === null) return;
  await services.store.withdrawPush(attemptId, budgetDigest(services.serverKey, nationalId));
}

function isUnsent(error: unknown): boolean {
  return error instanceof Refusal && error.details.isUnsent === true;
}

async function charge(services: BudgetServices, record: AttemptRecord, at: Ms): Promise<boolean> {
  const { attemptId, client, nationalId } = record;
  if (nationalId === null) return false;
  const personDigest = budgetDigest(services.serverKey, nationalId);
  return services.store.admitPush({ attemptId, personDigest, client, at, budget: PUSH_BUDGET });
}

function isUnknownId(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'provider.record_not_found';
}
