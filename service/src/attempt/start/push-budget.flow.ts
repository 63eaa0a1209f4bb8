import type { AttemptRecord } from '../attempt.ts';
import { keyInScope, scopeOf } from '../scenario.ts';
import type { Services } from '../services.flow.ts';
import { budgetDigests, budgetOf } from './push-budget.ts';
import { type ReportServices, report } from '../../audit/report.flow.ts';
import { Refusal } from '../../errors/refusal.ts';
import { PUSH_BUDGET_LIMIT, UNKNOWN_IDS, USUAL_LIMITS } from '../../values/limits.ts';
import type { Ms } from '../../values/time.ts';

/**
 * Does what is left to do after a start has been refused. If that fails too, the failure is logged
 * and not thrown, so that the caller gets the first error.
 */
export async function afterRefusal(
  { logFailure }: Pick<Services, 'logFailure'>,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    logFailure(error, 'what follows a refused start could not be stored');
  }
}

/**
 * When a client may try again. It does not say when the budget is free: its windows last ten
 * minutes and a day.
 */
const RETRY_SECONDS = 60;

export type BudgetServices = ReportServices &
  Pick<Services, 'store' | 'rules' | 'clients' | 'keys' | 'unknownIds' | 'logFailure'>;

/**
 * Sends a push if the budgets permit it.
 * @param send asks the provider
 * @throws Refusal `push.budget_spent`, or the error of `send`
 */
export async function pushWithinBudget<Answer>(
  services: BudgetServices,
  record: AttemptRecord,
  at: Ms,
  send: () => Promise<Answer>,
): Promise<Answer> {
  if (!services.rules.hasPushBudgets) return send();
  await admitPush(services, record, at);
  try {
    return await send();
  } catch (error) {
    if (isUnsent(error)) await afterRefusal(services, () => withdraw(services, record));
    if (isUnknownId(error)) {
      await afterRefusal(services, () => countUnknownId(services, record, at));
    }
    throw error;
  }
}

/**
 * Counts a push against the budgets of the person, the client and the service. This happens before
 * the provider is asked, so that an unknown number costs as much as a known one. A client that asks
 * for too many unknown numbers within a minute can send no more pushes in that minute.
 * @throws Refusal `push.budget_spent`
 */
async function admitPush(services: BudgetServices, record: AttemptRecord, at: Ms): Promise<void> {
  const { attemptId, client } = record;
  const isTrying = await isTryingNumbers(services, budgetClient(record), at);
  if (!isTrying && (await charge(services, record, at))) return;
  services.meter.limitHit(isTrying ? UNKNOWN_IDS.name : PUSH_BUDGET_LIMIT);
  await report(services, { at, action: 'push.suppressed', attemptId, client });
  throw new Refusal('push.budget_spent', { retryAfterSeconds: RETRY_SECONDS });
}

/** The last allowed unknown number of a client is reported. */
async function countUnknownId(
  services: BudgetServices,
  record: AttemptRecord,
  at: Ms,
): Promise<void> {
  if (!(await isLastUnknown(services, budgetClient(record), at))) return;
  const { attemptId, client } = record;
  await report(services, { at, action: 'enumeration.suspected', attemptId, client });
}

type Counting = Pick<BudgetServices, 'unknownIds'>;

/** Whether the client has used up its unknown numbers of this window. */
async function isTryingNumbers({ unknownIds }: Counting, client: string, at: Ms): Promise<boolean> {
  return !(await unknownIds.peek(UNKNOWN_IDS, client, at)).allowed;
}

/**
 * Counts one unknown number. True only for the last allowed one, however many are counted at once.
 */
async function isLastUnknown({ unknownIds }: Counting, client: string, at: Ms): Promise<boolean> {
  const { allowed, remaining } = await unknownIds.consume(UNKNOWN_IDS, client, at);
  return allowed && remaining === 0;
}

/**
 * Takes back the count of a push that was not sent; otherwise an outage would use up people's
 * budgets.
 */
async function withdraw(services: BudgetServices, record: AttemptRecord): Promise<void> {
  const { attemptId, nationalId } = record;
  if (nationalId === null) return;
  for (const digest of budgetDigests(services.keys, nationalId, scopeOf(record))) {
    await services.store.withdrawPush(attemptId, digest);
  }
}

function isUnsent(error: unknown): boolean {
  return error instanceof Refusal && error.details.isUnsent === true;
}

async function charge(services: BudgetServices, record: AttemptRecord, at: Ms): Promise<boolean> {
  const { attemptId, nationalId } = record;
  if (nationalId === null) throw new Error('a push needs somebody to go to');
  const client = budgetClient(record);
  const digests = budgetDigests(services.keys, nationalId, scopeOf(record));
  const [personDigest, ...otherDigests] = digests;
  const budget = budgetOf(services.clients.find(record.client)?.limits ?? USUAL_LIMITS, client);
  const wish = { attemptId, personDigest, otherDigests, client, at, budget };
  return services.store.admitPush(wish);
}

/** Under whom a client's pushes are counted: in each scope of a simulation it is another one. */
function budgetClient(record: AttemptRecord): string {
  return keyInScope(scopeOf(record), record.client);
}

function isUnknownId(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'provider.record_not_found';
}
