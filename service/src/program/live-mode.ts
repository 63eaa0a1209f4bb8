import { liveBanner } from '../banner.ts';
import { modeOf, type LiveConfig } from '../config/live.ts';
import { Refusal } from '../domain/errors/refusal.ts';
import { LIVE_RULES, REHEARSAL_RULES } from '../domain/rules.ts';
import type { LiveServices } from '../flow/services.ts';
import { liveEndpoints } from '../http/routes/index.ts';
import { ClientList } from '../platform/client-list.ts';
import { readClientsFile } from '../platform/clients-file.ts';
import { createLiveProvider } from '../provider/live-provider.ts';
import { REPORTED_PROFILE, type RemoteProviderConfig } from '../provider/provider-config.ts';
import { createRemoteProvider } from '../provider/remote-provider.ts';
import type { RemoteProvider } from '../provider/remote-contract.ts';
import { requireKeys } from './open-store.ts';
import {
  commonServices,
  httpContext,
  keepCall,
  reloadClients,
  type Runtime,
  type OpenMode,
} from './mode.ts';

/** A real provider, or a rehearsal of one, at the other end of the network. */
export async function openLiveMode(runtime: Runtime, live: LiveConfig): Promise<OpenMode> {
  const { config, clock } = runtime;
  const readClients = () => readClientsFile(live.clientsFile);
  const clients = new ClientList(readClients());
  const remote = createRemoteProvider(remoteConfig(live), {
    clock,
    record: (call) => void keepCall(runtime, call),
  });
  await requireKeys(runtime.store);
  await requireExpected(remote, live, runtime);
  const context = httpContext(runtime, liveServices(runtime, live, remote, clients), modeOf(live));
  return {
    context,
    endpoints: liveEndpoints(context),
    banner: liveBanner({ config, mode: modeOf(live), clients: clients.names() }),
    async attach() {
      // The provider is elsewhere.
    },
    reload: reloadClients(runtime, clients, readClients),
    close: () => remote.close(),
  };
}

function liveServices(
  runtime: Runtime,
  live: LiveConfig,
  remote: RemoteProvider,
  clients: ClientList,
): LiveServices {
  const provider = createLiveProvider(remote, { hasPhoneFlow: live.hasPushCallback });
  return {
    ...commonServices(runtime),
    rules: live.isRehearsal ? REHEARSAL_RULES : LIVE_RULES,
    provider,
    signed: provider,
    clients,
  };
}

/**
 * A simulator in the place of the provider would let anybody in. Every answer is held against the
 * mode; here it is found out before anybody is served. A provider that can't be reached is no fault
 * of ours: what has nothing to do with it works meanwhile.
 */
async function requireExpected(
  remote: RemoteProvider,
  live: LiveConfig,
  { logger }: Runtime,
): Promise<void> {
  const found = await remote.detectMode().catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
    const { code, details } = error;
    logger.warn({ code, reason: details.reason }, 'the identity provider could not be asked');
    return modeOf(live);
  });
  if (found === modeOf(live)) return;
  await remote.close();
  throw new Error(
    found === 'rehearsal'
      ? 'the provider at PROVIDER_URL is a simulator: set ALLOW_SIMULATOR=yes to rehearse with it'
      : 'ALLOW_SIMULATOR=yes is for rehearsals, but the provider at PROVIDER_URL is no simulator',
  );
}

function remoteConfig(live: LiveConfig): RemoteProviderConfig {
  const { url, pathPrefix, appId, appKey, ownAddress, service, issuer, audience } = live;
  return {
    url,
    pathPrefix,
    appId,
    appKey,
    ownAddress,
    service,
    issuer,
    audience,
    authorizeOrigin: live.authorizeOrigin,
    mode: modeOf(live),
    minimumAssurance: live.minimumAssurance,
    profile: { ...REPORTED_PROFILE, pushLifetimeMs: live.pushLifetimeMs },
  };
}
