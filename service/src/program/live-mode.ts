import type { LiveConfig } from '../config/live.ts';
import type { LiveTools } from '../flow/tools.ts';
import { liveEndpoints } from '../http/routes/index.ts';
import { createClientList } from '../platform/client-list.ts';
import { readClientsFile } from '../platform/clients-file.ts';
import { createLiveProvider } from '../provider/live-provider.ts';
import { REPORTED_PROFILE, type RemoteProviderConfig } from '../provider/provider-config.ts';
import { createRemoteProvider } from '../provider/remote-provider.ts';
import { httpContext, type Ground, type OpenMode } from './mode.ts';

/** What stands at the other end, asked for by name: this release rehearses, and nothing else. */
const MODE = 'rehearsal';

/** The rules of live, against a provider at the other end of the network. */
export async function openLiveMode(ground: Ground, live: LiveConfig): Promise<OpenMode> {
  const { config, clock, random, logger, store, serverKey } = ground;
  const remote = createRemoteProvider(remoteConfig(live), {
    clock,
    record: (record) => logger.debug({ call: record }, 'provider call'),
  });
  const provider = createLiveProvider(remote);
  const tools: LiveTools = {
    mode: MODE,
    store,
    provider,
    signed: provider,
    clients: createClientList(readClientsFile(live.clientsFile)),
    random,
    serverKey,
    tokenMark: 'simulator',
    tokenLifetimeMs: config.tokenLifetimeMs,
  };
  const context = httpContext(ground, tools, MODE);
  return {
    context,
    endpoints: liveEndpoints(context),
    banner: { config, people: [], curl: [] },
    async attach() {
      // The provider is elsewhere.
    },
    close: () => remote.close(),
  };
}

function remoteConfig(live: LiveConfig): RemoteProviderConfig {
  const { url, pathPrefix, appId, appKey, service, issuer, audience, authorizeOrigin } = live;
  return {
    url,
    pathPrefix,
    appId,
    appKey,
    ownAddress: null,
    service,
    issuer,
    audience,
    authorizeOrigin,
    mode: MODE,
    minimumAssurance: 0,
    profile: REPORTED_PROFILE,
  };
}
