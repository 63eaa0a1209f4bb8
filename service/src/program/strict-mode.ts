import { REPORTED_PREFIXES, simulator } from '@miftah/simulator/app';
import { scenarioHeaders, type Engine } from '@miftah/simulator/engine';
import { strictBanner } from './banner.ts';
import type { Config } from '../config/config.ts';
import type { SimulatorConfig } from '../config/simulator.ts';
import { SIMULATOR_KEY, strictClient, ClientList } from '../account/client.ts';
import { STRICT_RULES } from '../attempt/rules.ts';
import { scopeOf } from '../attempt/scenario.ts';
import { Secret } from '../values/secret.ts';
import { keptDelivery } from '../attempt/phone/deliver-kept.flow.ts';
import { BASE_PATH } from '../request/context.ts';
import { phoneLines } from '../origin/phone-lines.ts';
import { strictEndpoints } from './routes.ts';
import type { StrictEntry } from '../origin/strict-home.route.ts';
import { REPORTED_PROFILE, type ProviderApiConfig } from '../provider/provider-config.ts';
import { createProviderApi } from '../provider/http-provider-api.ts';
import { withPeopleOfScopes } from '../simulate/people-of-scopes.ts';
import { SIMULATED_SERVICE, SIMULATOR_ISSUER } from '../simulate/simulated-prompts.ts';
import { openInProcess } from '../simulate/hosted/in-process.ts';
import { liveServices, providerLaunching } from './live-services.ts';
import { givenClients, recordCall, rereadClients, type Runtime, type OpenMode } from './mode.ts';
import {
  openEngine,
  simulationContext,
  simulatorOptions,
} from '../simulate/hosted/simulator-parts.ts';
import { hostedAttempts } from '../simulate/hosted/hosted-attempts.ts';

/**
 * Live mode's flows, routes and provider driver, with the simulator as the provider in the same
 * process: it is called by its HTTP interface, signs its results, and sends them to our callback.
 */
export async function openStrictMode(
  runtime: Runtime,
  settings: SimulatorConfig,
): Promise<OpenMode> {
  const { config, clock } = runtime;
  const { clientsFile, hasPushBudgets } = settings;
  const readClients = () =>
    givenClients(runtime, clientsFile) ?? [strictClient(config.dashboardUrl)];
  const clients = new ClientList(readClients());
  const engine = openEngine(runtime, { issuer: SIMULATOR_ISSUER, oneActive: hasPushBudgets });
  const own = openInProcess(config.publicUrl);
  const api = createProviderApi(providerConfig(runtime, engine), {
    clock,
    providerName: () => SIMULATOR_ISSUER,
    record: (call) => void recordCall(runtime, call),
    onBreaker: (operation, isOpen) => runtime.meter.providerBreaker(operation, isOpen),
    transport: own.transport,
    scenarioHeaders,
  });
  const services = liveServices(runtime, {
    rules: { ...STRICT_RULES, hasPushBudgets },
    clients,
    api,
    hasPhoneFlow: true,
    adapt: withPeopleOfScopes,
    withdrawPrompt: (record) => engine.withdraw(record.attemptId, scopeOf(record)),
  });
  const { context, recorder, journal } = simulationContext(runtime, services);
  const entry = entryOf(config, settings);
  return {
    context,
    launching: providerLaunching(services),
    endpoints: strictEndpoints(context, entry),
    banner: strictBanner({ config, clients: clients.names(), lines: entry.lines }),
    async attach(app) {
      own.serve(app);
      const relying = { relyingParty: relyingPartyOf(runtime), post: own.post };
      const attempts = hostedAttempts({ context, clients, recorder });
      const common = simulatorOptions(runtime, context, engine, journal);
      await app.register(simulator, { ...common, ...relying, attempts });
    },
    deliverKept: keptDelivery(services),
    rereads: clientsFile === null ? [] : [rereadClients(runtime, clients, readClients)],
    close: () => api.close(),
  };
}

/** No secret: neither the key of a client of a file, nor the token of the control API. */
function entryOf(config: Config, { clientsFile }: SimulatorConfig): StrictEntry {
  const { publicUrl, simulatorToken } = config;
  if (clientsFile !== null) return { key: null, lines: [] };
  const key = SIMULATOR_KEY;
  const addresses = { api: publicUrl + BASE_PATH, simulator: publicUrl, key };
  return { key, lines: simulatorToken === null ? phoneLines(addresses) : [] };
}

/**
 * The simulator does not check credentials here, so these give access to nothing. No other value is
 * equal: time lines mask a credential wherever it stands.
 */
const CREDENTIAL = new Secret('unchecked-in-strict-mode');

/** The provider settings that a rehearsal would need, taken from the simulator itself. */
function providerConfig({ config }: Runtime, { settings }: Engine): ProviderApiConfig {
  const { issuer, audience, services } = settings;
  const [prefix] = REPORTED_PREFIXES;
  const pushLifetimeMs =
    services.get(SIMULATED_SERVICE)?.answerMs ?? REPORTED_PROFILE.pushLifetimeMs;
  return {
    url: config.publicUrl,
    pathPrefixes: { oidc: prefix, mfa: prefix },
    appId: CREDENTIAL,
    appKey: CREDENTIAL,
    ownAddress: null,
    service: SIMULATED_SERVICE,
    issuers: { oidc: issuer, mfa: issuer },
    audience,
    authorizeOrigin: config.publicUrl,
    mode: 'rehearsal',
    minimumAssurance: 0,
    profile: { ...REPORTED_PROFILE, pushLifetimeMs },
  };
}

function relyingPartyOf({ config }: Runtime) {
  const base = config.publicUrl + BASE_PATH;
  return {
    returnUrl: `${base}/callback`,
    returnMethod: 'GET',
    pushUrl: `${base}/provider/mfa-callback`,
  } as const;
}
