import { Sessions, simulator, type HostedOpenid } from '@miftah/simulator/app';
import { DEFAULT_SCOPE, NO_FAULTS, type Engine } from '@miftah/simulator/engine';
import { systemRandom } from '@miftah/simulator/platform';
import { simulatorBanner } from './banner.ts';
import type { Config } from '../config/config.ts';
import type { SimulatorConfig } from '../config/simulator.ts';
import { demoClients, openToAll, simulatorClient, ClientList } from '../account/client.ts';
import { SIMULATOR_RULES } from '../attempt/rules.ts';
import { collectPending } from '../attempt/status/collect-pending.flow.ts';
import type { Ms } from '../values/time.ts';
import type { CollectNews, SimulatorServices } from '../attempt/services.flow.ts';
import type { Launching } from '../openid/launching.port.ts';
import type { ChosenByTests } from '../openid/face.ts';
import { meetFaults } from '../openid/simulated/faulty-answers.ts';
import { flawIdTokens } from '../openid/simulated/flawed-id-tokens.ts';
import { localStart } from '../attempt/start/start-attempt.flow.ts';
import { BASE_PATH } from '../request/context.ts';
import { curlLines, oneLine } from '../origin/curl-lines.ts';
import { simulatorEndpoints } from './routes.ts';
import { createSimulatedProvider, type SimulatedProvider } from '../simulate/simulated-provider.ts';
import { hostedPrompts } from '../simulate/hosted/hosted-prompts.ts';
import {
  commonServices,
  givenClients,
  rereadClients,
  type Runtime,
  type OpenMode,
} from './mode.ts';
import {
  openEngine,
  simulationContext,
  simulatorOptions,
} from '../simulate/hosted/simulator-parts.ts';
import { hostedAttempts } from '../simulate/hosted/hosted-attempts.ts';

/**
 * Plain simulator mode (`strict-mode.ts` has the strict one): the provider is the simulator's engine
 * in this process, and its own endpoints are on the same origin.
 */
export async function openSimulatorMode(
  runtime: Runtime,
  settings: SimulatorConfig,
): Promise<OpenMode> {
  const { config } = runtime;
  const { clientsFile } = settings;
  const readClients = () =>
    openToAll(
      givenClients(runtime, clientsFile) ?? [
        simulatorClient(config.dashboardUrl),
        ...(config.openid ? demoClients() : []),
      ],
    );
  const clients = new ClientList(readClients());
  const engine = openEngine(runtime);
  const provider = createSimulatedProvider(engine, runtime.coordination.notes, runtime.timer);
  const common = commonServices(runtime);
  const rules = { ...SIMULATOR_RULES, hasPushBudgets: settings.hasPushBudgets };
  const services: SimulatorServices = {
    ...common,
    rules,
    clients,
    startAtProvider: localStart({ ...common, rules, clients }, provider),
    collectNews: provider.collect,
    simulation: provider,
  };
  const openid = openidOfTests(runtime, engine, provider);
  const { context, recorder, journal } = simulationContext(runtime, services);
  const { sessions, lanBanner } = await openSessions(runtime);
  return {
    context,
    collectDecided: decidedOf(services, provider),
    launching: pageLaunching(`${config.publicUrl}${BASE_PATH}/callback`),
    openidChosen: openid.chosen,
    endpoints: simulatorEndpoints(context),
    banner: bannerOf(config, provider.people({ limit: MOST_SHOWN }), lanBanner),
    async attach(app) {
      // Wakes the calls that a fault delays: the server waits for its requests before it closes.
      app.addHook('preClose', (done) => {
        provider.close();
        done();
      });
      const hosted = hostedPrompts(services, provider, engine);
      const attempts = hostedAttempts({ context, clients, recorder });
      await app.register(simulator, {
        ...simulatorOptions(runtime, context, engine, journal, sessions),
        hosted,
        attempts,
        openid: config.openid ? openid.hosted : null,
      });
    },
    rereads: clientsFile === null ? [] : [rereadClients(runtime, clients, readClients)],
    // The provider is closed in `attach`.
    close: () => Promise.resolve(),
  };
}

/** What tests choose of the OpenID Provider, and what the control API does to it. */
function openidOfTests({ store, clock }: Runtime, engine: Engine, provider: SimulatedProvider) {
  let readAgain: (() => void) | null = null;
  const chosen: ChosenByTests = {
    tamper(library, keys) {
      flawIdTokens(library, keys, (scope) => engine.scopes.takeIdTokenFlaw(scope));
      meetFaults(library, {
        meet(endpoint) {
          const { faults } = engine.scopes.of(DEFAULT_SCOPE);
          const { latencyMs, fault } = faults?.meet(`openid_${endpoint}`) ?? NO_FAULTS;
          return { latencyMs, fault: fault?.kind === 'record' ? null : fault };
        },
        sleep: provider.sleep,
      });
    },
    onOpen: (again) => void (readAgain = again),
  };
  const hosted: HostedOpenid = {
    async rotateKeys() {
      // Loaded here, because it brings parts of the OpenID Provider's library.
      const [{ newSigningKeys }, { rotateKeys }] = await Promise.all([
        import('../platform/keys/signing-keys.ts'),
        import('../openid/simulated/rotate-keys.ts'),
      ]);
      const isDone = await rotateKeys(store, newSigningKeys, clock.now());
      readAgain?.();
      return isDone;
    },
  };
  return { chosen, hosted };
}

/** Each second, so that a crowd costs no more. */
const MOST_COLLECTED = 250;

/** In place of the signed result that another provider would send. It meets no fault of a status. */
function decidedOf(services: SimulatorServices, provider: SimulatedProvider) {
  const collectNews: CollectNews = (record, now) => provider.decided(record, now);
  const collecting = { ...services, collectNews };
  const rounds = () => collectPending(collecting, { of: 'all', limit: MOST_COLLECTED });
  const next = rounds();
  return async (from: Ms, until: Ms) => {
    if (from === until) return void (await next(from));
    const all = rounds();
    while (!(await all(from, until)));
  };
}

/** A terminal has few lines; the home page has more. */
const MOST_SHOWN = 12;

function bannerOf(
  config: Config,
  people: ReturnType<SimulatedProvider['people']>,
  lan: readonly string[],
): string {
  const [{ nationalId } = { nationalId: '' }] = people;
  const steps = curlLines({ base: config.publicUrl + BASE_PATH, nationalId, locale: 'en' });
  const curl = steps.map(oneLine);
  return simulatorBanner({ config, people, curl, lan });
}

/**
 * The sessions of browsers that sign in to the console with a code, and the lines of the banner about
 * the local network, which have two such codes. Without `--lan` there are sessions, and no lines.
 */
async function openSessions({ config: { lan, ...config }, clock }: Runtime) {
  const sessions = new Sessions(clock, systemRandom);
  if (lan === null) return { sessions, lanBanner: [] };
  const { lanLines } = await import('../simulate/hosted/lan-banner.ts');
  const open = (path: string) => `${config.publicUrl}${path}#code=${sessions.issueCode().code}`;
  const addresses = { console: open('/console'), phone: open('/simulator/phone') };
  return { sessions, lanBanner: lanLines({ lan, ...config }, addresses) };
}

/**
 * In plain simulator mode GET /callback is the simulator's sign-in page, and its `state` is the id of
 * the attempt. @param signInPage its address without a query
 */
function pageLaunching(signInPage: string): Launching {
  return {
    launch: async ({ record: { attemptId }, locale }) => {
      const query = new URLSearchParams({ state: attemptId, locale });
      return `${signInPage}?${query.toString()}`;
    },
    // In plain simulator mode any browser may decide.
    isLauncher: async () => true,
  };
}
