import type { LocalProvider } from '../../ports/identity-provider.ts';
import { admitPush, settleRefusedPush, type BudgetServices } from './push-budget.ts';
import type { StartAtProvider } from '../services.ts';

/** Asking costs nothing and no answer can be lost: the provider is asked first, and one write does. */
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
