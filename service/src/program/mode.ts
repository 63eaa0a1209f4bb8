import type { People } from '@miftah/simulator/engine';
import type { MovableTime } from '@miftah/simulator/platform';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import packageFile from '../../package.json' with { type: 'json' };
import type { Config } from '../config/config.ts';
import { changesOf, type Client, type ClientList } from '../account/client.ts';
import { OPENID_RETURN } from '../account/openid-client.ts';
import type { ChosenByTests } from '../openid/face.ts';
import type { Launching } from '../openid/launching.port.ts';
import { Refusal } from '../errors/refusal.ts';
import type { ProviderCall } from '../attempt/provider-call.ts';
import type { Mode, StoreBinding } from '../values/store-binding.ts';
import { parseRefused } from '../attempt/refused-token.ts';
import type { Ms } from '../values/time.ts';
import { type Services, HeldSpoils } from '../attempt/services.flow.ts';
import type { Admission } from '../attempt/start/start-attempt.flow.ts';
import type { StatusWaiters } from '../attempt/status/status-waiters.flow.ts';
import { RepeatedEvents } from '../audit/repeated-events.flow.ts';
import { ClientAddresses } from '../request/caller/client-address.ts';
import type { Endpoints, HttpContext, ScenarioReader } from '../request/context.ts';
import { faultOf } from '../request/answer/reply-error.ts';
import { readClientsFile } from '../platform/files/clients-file.ts';
import { atEndOfTurn, nextTurn } from '../platform/runtime.ts';
import type { ServerKeyring } from '../platform/keys/server-keyring.ts';
import type { Coordination } from '../platform/coordination/coordination.port.ts';
import type { Meter } from '../operate/metrics/meter.port.ts';
import type { Reread } from '../operate/reload.ts';
import { refuseUncalled } from '../operate/require-clients.ts';
import type { ExchangeRecorder } from '../request/record/exchange-recorder.port.ts';
import type { Clock, Drain, Random, Timekeeper, Timer } from '../platform/runtime.port.ts';
import type { Store } from '../store/ports/store.port.ts';
import type { Tracer } from '../operate/tracing/tracer.port.ts';
import type { WebhookListeners } from '../webhooks/listen.flow.ts';

/** What a simulation that writes nothing to a disk has in the place of its files. */
export interface InMemory {
  /** Null: those of the settings. */
  readonly clients: readonly Client[] | null;
  /** The simulated ones; null: the test people. */
  readonly people: People | null;
}

/** What every mode needs. */
export interface Runtime {
  readonly config: Config;
  readonly clock: Clock;
  /** The clock, where tests may move it: in simulations with a store of their own. */
  readonly movableTime: MovableTime | null;
  /** Null: files in `DATA_DIR`, and those that the settings name. */
  readonly inMemory: InMemory | null;
  readonly timekeeper: Timekeeper;
  readonly timer: Timer;
  readonly drain: Drain;
  readonly random: Random;
  readonly store: Store;
  readonly waiters: StatusWaiters;
  readonly admission: Admission;
  /** The state that the instances of this service share. */
  readonly coordination: Coordination;
  readonly logger: Logger;
  readonly keys: ServerKeyring;
  readonly meter: Meter;
  /** Null where no traces are sent. */
  readonly tracer: Tracer | null;
  /** Null in live mode. */
  readonly listeners: WebhookListeners | null;
}

/** What a mode provides. */
export interface OpenMode {
  readonly context: HttpContext;
  readonly endpoints: Endpoints;
  /** How the browser of a sign-in by OpenID gets to the person's page. */
  readonly launching: Launching;
  /** What tests choose of the OpenID Provider's answers. Absent in all modes but plain simulator mode. */
  readonly openidChosen?: ChosenByTests;
  /** Text for the person at the terminal. */
  readonly banner: string;
  /** Called once the store is bound to a mode and a provider, with what the store says of them. */
  bound?(binding: StoreBinding): void;
  /** Adds the routes that the mode serves beside the API: those of the simulator. */
  attach(app: FastifyInstance): Promise<void>;
  /**
   * Reads the results of pushes again that came before the key that signed them was known. Absent in
   * simulator mode, whose results are never kept.
   */
  readonly deliverKept?: (now: Ms) => Promise<void>;
  /**
   * Writes what the people of all attempts that were pending at `from` have decided by `until`,
   * although nobody reads the status. Absent where a provider would have to be asked.
   */
  readonly collectDecided?: (from: Ms, until: Ms) => Promise<void>;
  /** What an operator may change while the service runs. */
  readonly rereads: readonly Reread[];
  close(): Promise<void>;
}

/** The services that are the same in every mode. */
export function commonServices(runtime: Runtime) {
  const { config, store, coordination, waiters, random, keys, logger, meter } = runtime;
  return {
    store,
    random,
    keys,
    meter,
    logFailure: failureLog(logger),
    logRefusedToken: refusedTokenLog(logger),
    ...(config.openid ? { openidReturn: config.publicUrl + OPENID_RETURN } : {}),
    attemptLock: coordination.attemptLock,
    waiters,
    heldSpoils: new HeldSpoils(),
    unknownIds: coordination.unknownIds,
    repeated: new RepeatedEvents(),
    tokenLifetimeMs: config.tokenLifetimeMs,
    // Nothing to do by default: in simulator mode the phone shows only attempts that are pending, and
    // the interface of the provider has no known call for it. Strict mode has its own.
    withdrawPrompt: () => undefined,
  };
}

/** The text of an error may quote what somebody has sent, so only its code and place are logged. */
function failureLog(logger: Logger): Services['logFailure'] {
  return (failure, message, reason) => {
    const code = failure instanceof Refusal ? failure.code : undefined;
    logger.error({ code, reason, ...faultOf(failure) }, message);
  };
}

/**
 * Anybody can send a token, so of one without the provider's signature only the count is logged. Of a
 * signed one the detail is, which was made printable when it was reported.
 */
function refusedTokenLog(logger: Logger): Services['logRefusedToken'] {
  return ({ action, detail = null, count = null }) => {
    const refused = detail === null ? null : parseRefused(detail);
    const values = withoutNulls({ ...refused, count });
    if (action === 'provider.token_refused') {
      logger.warn(values, 'a token of the provider was refused');
    } else {
      logger.warn(values, 'unverified callbacks were refused');
    }
  };
}

function withoutNulls(values: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

/** The clients that a simulation in memory was given, or those of its file; null: the built-in one. */
export function givenClients(
  { inMemory }: Runtime,
  clientsFile: string | null,
): readonly Client[] | null {
  const given = inMemory?.clients ?? null;
  return given ?? (clientsFile === null ? null : readClientsFile(clientsFile));
}

export function rereadClients(
  { config, store, clock }: Runtime,
  clients: ClientList,
  read: () => readonly Client[],
): Reread {
  return () => {
    const next = read();
    refuseUncalled(config, { was: clients.all(), next });
    const isOther = changesOf(clients.all(), next).length > 0;
    return {
      settings: isOther ? ['CLIENTS_FILE'] : [],
      record: async () => {
        const at = clock.now();
        for (const change of changesOf(clients.all(), next)) {
          await store.recordEvent({ at, ...change });
        }
        await store.recordEvent({ at, action: 'clients.reloaded' });
      },
      use: () => clients.replace(next),
    };
  };
}

/**
 * Counts and traces a call to the provider, and stores it for `miftah calls` if it was made for an
 * attempt. A failure to store it is only logged, because the call itself succeeded.
 */
export async function recordCall(
  { store, logger, meter, tracer }: Runtime,
  call: ProviderCall,
): Promise<void> {
  meter.providerCall(call);
  tracer?.providerCall(call);
  if (call.requestId === null) return;
  await store.recordCall(call).catch((error: unknown) => {
    logger.warn({ err: error }, 'a call to the provider could not be recorded');
  });
}

/** What only a simulation has. */
interface Simulating {
  readonly scenarios: ScenarioReader;
  /** Null with `TIME_LINES=off`. */
  readonly recorder: ExchangeRecorder | null;
}

export function httpContext<Kit extends Services>(
  { config, clock, timekeeper, timer, drain, coordination, admission, tracer, logger }: Runtime,
  services: Kit,
  mode: Mode,
  simulation: Simulating | null = null,
): HttpContext<Kit> {
  const { trustedProxies } = config;
  const onUnreadable = (count: number) =>
    logger.warn({ count }, 'a forwarded address could not be read');
  return {
    services,
    clock,
    timekeeper,
    timer,
    drain,
    nextTurn,
    atEndOfTurn,
    admission,
    tracer,
    addresses: new ClientAddresses({ trustedProxies, clock, onUnreadable }),
    scenarios: simulation?.scenarios ?? null,
    recorder: simulation?.recorder ?? null,
    limiter: config.rateLimits ? coordination.requestLimits : null,
    settings: {
      mode,
      publicUrl: config.publicUrl,
      dashboardUrl: config.dashboardUrl,
      allowedHosts: config.allowedHosts,
      corsOrigins: config.corsOrigins,
      docs: config.docs,
      metrics: config.metricsPort === null,
      version: packageFile.version,
    },
  };
}
