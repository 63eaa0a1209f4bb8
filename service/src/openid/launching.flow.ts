import { isSameBrowser } from '../attempt/browser/finish-return.flow.ts';
import { launch } from '../attempt/browser/launch.flow.ts';
import type { LiveServices } from '../attempt/services.flow.ts';
import type { Launching } from './launching.port.ts';

/** Where the provider is called over the network, or as if it were. */
export function providerLaunching(services: LiveServices): Launching {
  return {
    async launch({ record, browser, locale, address }, now) {
      const { attemptId } = record;
      // What presses cost was counted before the attempt was there.
      const press = { attemptId, browser, locale, address, admit: () => Promise.resolve() };
      return (await launch(services, press, now)).launchUrl;
    },
    async isLauncher(attemptId, cookieOf) {
      const known = await services.store.findTransaction(attemptId);
      if (known?.transaction.kind !== 'redirect') return false;
      const found = { record: known.attempt, transaction: known.transaction };
      return isSameBrowser(found, { cookieOf });
    },
  };
}
