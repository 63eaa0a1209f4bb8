import type { LocalProvider } from '../../ports/identity-provider.ts';
import { admitPush, settleRefusedPush, type BudgetServices } from './push-budget.ts';
import type { StartAtProvider } from '../services.ts';

/**
 * A provider in this process answers at once and no answer is lost: it is asked first, then the
 * attempt is stored in one write.
 */
export function localStart(services: BudgetServices, provider: LocalProvider): StartAtProvider {
  const { store } = services;
  return {
    async redirect(record) {
      await provider.openRedirect(record);
      await store.insertAttempt(record);
      return record;
    },

    async push(record, _endUser, now) {
      await admitPush(services, record, now);
      const bindingCode = await provider.requestPush(record).catch(async (error: unknown) => {
        await settleRefusedPush(services, record, error, now);
        throw error;
      });
      const started = { ...record, bindingCode };
      await store.insertAttempt(started);
      return started;
    },
  };
}
