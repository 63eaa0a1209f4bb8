import type { AttemptRecord } from '../../domain/attempt.ts';
import { Refusal } from '../../domain/errors/refusal.ts';
import type { ProviderTransaction } from '../../domain/provider-transaction.ts';
import type { Ms } from '../../domain/time.ts';
import type { EndUser, ProviderStart, RemoteProvider } from '../../ports/identity-provider.ts';
import { admitPush, settleRefusedPush, type BudgetServices } from './push-budget.ts';
import type { Services, StartAtProvider } from '../services.ts';

type Needs = BudgetServices & Pick<Services, 'attemptLock'>;

/**
 * The attempt is stored before the provider is asked, because the provider's answer can be lost
 * after it has acted. A lost answer ends the attempt, so that a later callback can't complete it. A
 * callback that arrives before the answer waits for the lock.
 */
export function remoteStart(services: Needs, provider: RemoteProvider): StartAtProvider {
  const { attemptLock } = services;
  return {
    redirect: (record, endUser, now) =>
      attemptLock.run(record.attemptId, () =>
        openRedirect(services, provider, { record, endUser }, now),
      ),

    async push(record, endUser, now) {
      if (!provider.hasPhoneFlow) throw new Refusal('flow.unavailable');
      return attemptLock.run(record.attemptId, () =>
        requestPush(services, provider, { record, endUser }, now),
      );
    },
  };
}

interface NewAttempt {
  readonly record: AttemptRecord;
  readonly endUser: EndUser;
}

async function openRedirect(
  services: Needs,
  provider: RemoteProvider,
  { record, endUser }: NewAttempt,
  now: Ms,
): Promise<AttemptRecord> {
  await services.store.insertAttempt(record);
  try {
    return await keepAnswer(services, record, await provider.openRedirect(record, endUser), now);
  } catch (error) {
    await failStart(services, record, error, now);
    throw error;
  }
}

async function requestPush(
  services: Needs,
  provider: RemoteProvider,
  { record, endUser }: NewAttempt,
  now: Ms,
): Promise<AttemptRecord> {
  await services.store.insertAttempt(record);
  try {
    await admitPush(services, record, now);
    const start = await provider.requestPush(record, endUser).catch(async (error: unknown) => {
      await settleRefusedPush(services, record, error, now);
      throw error;
    });
    return await keepAnswer(services, record, start, now);
  } catch (error) {
    await failStart(services, record, error, now);
    throw error;
  }
}

async function keepAnswer(
  { store }: Needs,
  { attemptId }: AttemptRecord,
  { bindingCode, expiresAt: providerExpiresAt, transaction }: ProviderStart<ProviderTransaction>,
  at: Ms,
): Promise<AttemptRecord> {
  const change = { attemptId, at, transaction, bindingCode, providerExpiresAt };
  const opened = await store.openTransaction(change);
  if (opened === null) throw new Refusal('attempt.failed');
  return opened;
}

async function failStart(
  { store }: Needs,
  { attemptId }: AttemptRecord,
  error: unknown,
  at: Ms,
): Promise<void> {
  const reason = error instanceof Refusal ? error.code : 'server.error';
  await store.failAttempt({ attemptId, at, reason });
}
