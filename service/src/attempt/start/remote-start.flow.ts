import type { AttemptRecord } from '../attempt.ts';
import { Refusal } from '../../errors/refusal.ts';
import type { ProviderTransaction } from '../provider-transaction.ts';
import type { Ms } from '../../values/time.ts';
import type { ProviderStart, RemoteProvider } from '../../provider/identity-provider.port.ts';
import { failAttempt } from '../finish/end-attempt.flow.ts';
import { afterRefusal } from './after-refusal.flow.ts';
import { insertAttempt } from './insert-attempt.flow.ts';
import { pushWithinBudget, type BudgetServices } from './push-budget.flow.ts';
import type { Services, StartAtProvider } from '../services.flow.ts';

type Needs = BudgetServices & Pick<Services, 'attemptLock'>;
type Started = ProviderStart<ProviderTransaction>;

export function remoteStart(services: Needs, provider: RemoteProvider): StartAtProvider {
  return {
    redirect: (record, endUser, now) =>
      startWith(services, record, now, () => provider.openRedirect(record, endUser)),

    async push(record, endUser, now) {
      if (!provider.hasPhoneFlow) throw new Refusal('flow.unavailable');
      const send = () => provider.requestPush(record, endUser);
      return startWith(services, record, now, () => pushWithinBudget(services, record, now, send));
    },
  };
}

/**
 * The attempt is stored before the provider is asked, because the provider's answer can be lost
 * after it has acted. A lost answer ends the attempt, so that a later callback can't complete it. A
 * callback that arrives before the answer waits for the lock.
 */
async function startWith(
  services: Needs,
  record: AttemptRecord,
  now: Ms,
  askProvider: () => Promise<Started>,
): Promise<AttemptRecord> {
  return services.attemptLock.run(record.attemptId, async () => {
    await insertAttempt(services, record);
    try {
      return await keepAnswer(services, record, await askProvider(), now);
    } catch (error) {
      await afterRefusal(services, () => failStart(services, record, error, now));
      throw error;
    }
  });
}

async function keepAnswer(
  { store }: Needs,
  { attemptId }: AttemptRecord,
  { bindingCode, expiresAt: providerExpiresAt, transaction }: Started,
  at: Ms,
): Promise<AttemptRecord> {
  const change = { attemptId, at, transaction, bindingCode, providerExpiresAt };
  const opened = await store.openTransaction(change);
  if (opened === null) throw new Refusal('attempt.failed');
  return opened;
}

async function failStart(
  services: Needs,
  { attemptId }: AttemptRecord,
  error: unknown,
  at: Ms,
): Promise<void> {
  const reason = error instanceof Refusal ? error.code : 'server.error';
  await failAttempt(services, { attemptId, at, reason });
}
