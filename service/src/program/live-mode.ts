import { liveBanner } from './banner.ts';
import type { Config } from '../config/config.ts';
import { modeOf, type LiveConfig } from '../config/live.ts';
import { rereadProviderKeys } from '../config/source/reread.ts';
import { wordsOf } from '../errors/fault-words.ts';
import { Refusal } from '../errors/refusal.ts';
import { LIVE_RULES, REHEARSAL_RULES } from '../attempt/rules.ts';
import { keptDelivery } from '../attempt/phone/deliver-kept.flow.ts';
import { liveEndpoints } from './routes.ts';
import { ClientList } from '../account/client.ts';
import type { Reread } from '../operate/reload.ts';
import { readClientsFile } from '../platform/files/clients-file.ts';
import {
  REPORTED_PROFILE,
  type Credentials,
  type ProviderApiConfig,
} from '../provider/provider-config.ts';
import { createProviderApi } from '../provider/http-provider-api.ts';
import type { ProviderApi } from '../provider/provider-api.ts';
import { liveServices, providerLaunching } from './live-services.ts';
import { httpContext, recordCall, rereadClients, type OpenMode, type Runtime } from './mode.ts';

/** The provider is called over the network: a real one, or a simulator in a rehearsal. */
export async function openLiveMode(runtime: Runtime, live: LiveConfig): Promise<OpenMode> {
  const { config, clock } = runtime;
  const readClients = () => readClientsFile(live.clientsFile);
  const clients = new ClientList(readClients());
  let providerName: string | null = null;
  const api: ProviderApi = createProviderApi(remoteConfig(live), {
    clock,
    providerName: () => requireName(providerName),
    record: (call) => void recordCall(runtime, call),
    onBreaker: (operation, isOpen) => runtime.meter.providerBreaker(operation, isOpen),
    onKeyRefused: () => lookUpKey(),
  });
  const reread = rereadProvider(config, live, api);
  const lookUpKey = keyLookUp(reread, runtime);
  await requireExpected(api, live, runtime);
  const services = liveServices(runtime, {
    rules: live.isRehearsal ? REHEARSAL_RULES : LIVE_RULES,
    clients,
    api,
    hasPhoneFlow: live.hasPushCallback,
  });
  const context = httpContext(runtime, services, modeOf(live));
  return {
    context,
    launching: providerLaunching(services),
    endpoints: liveEndpoints(context),
    banner: liveBanner({ config, mode: modeOf(live), clients: clients.names() }),
    async attach() {
      // The provider is another program, so there is nothing to add here.
    },
    deliverKept: keptDelivery(services),
    bound({ provider }) {
      providerName = provider?.issuers[0] ?? null;
    },
    rereads: [rereadClients(runtime, clients, readClients), reread],
    close: () => api.close(),
  };
}

/**
 * A simulator in place of the real provider would let everybody in. Every answer is checked for the
 * mode; this check happens before the first request is served. If the provider can't be reached the
 * service starts anyway, because much of it works without the provider.
 */
async function requireExpected(
  api: ProviderApi,
  live: LiveConfig,
  { logger }: Runtime,
): Promise<void> {
  const found = await api.detectMode().catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
    const { code, details } = error;
    logger.warn({ code, reason: details.reason }, 'the identity provider could not be asked');
    return modeOf(live);
  });
  if (found === modeOf(live)) return;
  await api.close();
  throw new Error(
    found === 'rehearsal'
      ? 'the provider at PROVIDER_URL is a simulator: set ALLOW_SIMULATOR=yes to rehearse with it'
      : 'ALLOW_SIMULATOR=yes is for rehearsals, but the provider at PROVIDER_URL is no simulator',
  );
}

/**
 * The calls that are under way end with the credentials that they have: a POST is sent once, so both
 * have to be good for as long as a call takes. The connections are made anew each time, because the
 * authorities of the server may be others.
 */
function rereadProvider(config: Config, live: LiveConfig, api: ProviderApi): Reread {
  let used: Credentials = live;
  return () => {
    const next = rereadProviderKeys(config, used);
    const settings = [
      ...(next.appId.reveal() === used.appId.reveal() ? [] : ['PROVIDER_APP_ID']),
      ...(next.appKey.reveal() === used.appKey.reveal() ? [] : ['PROVIDER_APP_KEY']),
    ];
    const use = () => {
      used = next;
      api.renew(next);
    };
    return { settings, use };
  };
}

/** Uses what the files have now, if that is another key. A fault of a file is told once. */
function keyLookUp(reread: Reread, { logger }: Runtime): () => void {
  let told = '';
  return () => {
    try {
      const { settings, use } = reread();
      if (settings.length === 0) return;
      use();
      logger.info({ settings }, 'the provider refused the key, and its file has another one');
    } catch (error) {
      const reason = wordsOf(error);
      if (reason === told) return;
      told = reason;
      logger.warn({ reason }, 'the provider refused the key, and its file can not be used');
    }
  };
}

/** Nobody is asked for before the store was bound: until then it refuses everything. */
function requireName(name: string | null): string {
  if (name === null) throw new Error('the store has not said whose people are in it');
  return name;
}

/** What the driver of the provider is told. */
export function remoteConfig(live: LiveConfig): ProviderApiConfig {
  const { url, pathPrefixes, appId, appKey, ownAddress, service, issuers, audience } = live;
  return {
    url,
    pathPrefixes,
    appId,
    appKey,
    ownAddress,
    service,
    issuers,
    audience,
    authorizeOrigin: live.authorizeOrigin,
    mode: modeOf(live),
    minimumAssurance: live.minimumAssurance,
    profile: { ...REPORTED_PROFILE, pushLifetimeMs: live.pushLifetimeMs },
  };
}
