import { isSameBrowser } from '../attempt/browser/finish-return.flow.ts';
import { launch } from '../attempt/browser/launch.flow.ts';
import type { Rules } from '../attempt/rules.ts';
import { remoteNews } from '../attempt/finish/remote-news.flow.ts';
import type { LiveServices, WithdrawPrompt } from '../attempt/services.flow.ts';
import { remoteStart } from '../attempt/start/start-attempt.flow.ts';
import type { Clients } from '../account/clients.port.ts';
import type { Launching } from '../openid/launching.port.ts';
import type { RemoteProvider } from '../provider/identity-provider.port.ts';
import type { ProviderApi } from '../provider/provider-api.ts';
import { createRemoteProvider } from '../provider/remote-provider.ts';
import { commonServices, type Runtime } from './mode.ts';

export interface LiveParts {
  readonly rules: Rules;
  readonly clients: Clients;
  readonly api: ProviderApi;
  /** Whether the provider knows our address for the signed results of pushes. */
  readonly hasPhoneFlow: boolean;
  readonly withdrawPrompt?: WithdrawPrompt;
  /** What strict simulator mode adds to the provider. */
  readonly adapt?: (provider: RemoteProvider) => RemoteProvider;
}

/** The services of live mode's flows, which strict simulator mode uses too. */
export function liveServices(
  runtime: Runtime,
  { adapt = (provider) => provider, ...parts }: LiveParts,
): LiveServices {
  const { rules, clients, api, hasPhoneFlow } = parts;
  const common = commonServices(runtime);
  const { withdrawPrompt = common.withdrawPrompt } = parts;
  const polls = runtime.coordination.statusPolls;
  const provider = adapt(createRemoteProvider(api, { hasPhoneFlow, polls }));
  return {
    ...common,
    rules,
    clients,
    provider,
    startAtProvider: remoteStart({ ...common, rules, clients, withdrawPrompt }, provider),
    collectNews: remoteNews(common, provider),
    withdrawPrompt,
  };
}

/** Of a sign-in by OpenID, where the provider is called over the network, or as if it were. */
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
