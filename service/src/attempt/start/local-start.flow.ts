import type { LocalProvider } from '../../provider/identity-provider.port.ts';
import { insertAttempt } from './insert-attempt.flow.ts';
import { pushWithinBudget, type BudgetServices } from './push-budget.flow.ts';
import type { StartAtProvider } from '../services.flow.ts';

/**
 * A provider in this process answers at once and no answer is lost: it is asked first, then the
 * attempt is stored in one write.
 */
export function localStart(services: BudgetServices, provider: LocalProvider): StartAtProvider {
  return {
    async redirect(record) {
      const started = { ...record, ...(await provider.openRedirect(record)) };
      await insertAttempt(services, started);
      return started;
    },

    async push(record, _endUser, now) {
      const send = () => provider.requestPush(record);
      const started = { ...record, ...(await pushWithinBudget(services, record, now, send)) };
      await insertAttempt(services, started);
      return started;
    },
  };
}
