import type { MovableTime } from '@miftah/simulator/platform';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import packageFile from '../../package.json' with { type: 'json' };
import type { Config } from '../config/config.ts';
import type { AttemptId } from '../values/ids.ts';
import type { Ms } from '../values/time.ts';
import { StatusWaiters } from '../attempt/status/status-waiters.flow.ts';
import { Admission } from '../attempt/start/start-attempt.flow.ts';
import { buildApp } from '../request/app.ts';
import type { Endpoints } from '../request/context.ts';
import type { LookUp } from '../outbound/outbound.port.ts';
import { outboundRules } from '../outbound/rules.ts';
import type { AuditHeadFile } from '../platform/files/audit-head-file.ts';
import { systemClock, createRandom, systemTimer } from '../platform/runtime.ts';
import { createMeter } from '../operate/metrics/meter.ts';
import type { Meter } from '../operate/metrics/meter.port.ts';
import type { Clock, Random, Timekeeper, Timer } from '../platform/runtime.port.ts';
import type { Store } from '../store/ports/store.port.ts';
import { StoreOpenError } from '../store/store-fault.ts';
import type { Tracer } from '../operate/tracing/tracer.port.ts';
import type { Finding } from '../operate/doctor/finding.ts';
import { auditHeadFile, requireKeptHead } from '../operate/audit-head.ts';
import { NO_SOCKETS, type InheritedSockets } from '../server/inherited-sockets.ts';
import { startHousekeeping, type Housekeeping } from './housekeeping.ts';
import { listenOn } from '../server/listen-on.ts';
import { logOf, meterLog, writeLastLine, type Log, type LogOutput } from '../operate/log.ts';
import { privateListeners } from './private-listeners.ts';
import type { InMemory, Runtime, OpenMode } from './mode.ts';
import { requireNobodyLeft } from '../operate/move/left-behind.ts';
import { observedStore } from '../operate/observed-store.ts';
import { unreadyStore } from '../operate/readiness.flow.ts';
import { rereadKeys } from '../operate/keys-reload.ts';
import { reloadOf } from '../operate/reload.ts';
import {
  bindingOf,
  withMemoryCoordination,
  openServiceStore,
  requireKeys,
  type OpenedStore,
} from './open-store.ts';
import { NO_READER, withReader } from '../origin/optional-reader.ts';
import { openMovableTime, orMissing } from '../simulate/hosted/optional-simulator.ts';
import { announceStop, stopLimits, type Stop } from '../server/stop.ts';
import { WebhookListeners } from '../webhooks/listen.flow.ts';
import type { WebhookNeeds, Webhooks } from '../webhooks/open-webhooks.ts';
import { storeNeeds, type StoreNeeds } from './store-needs.ts';

export { wordsOf } from '../errors/fault-words.ts';
export { openStandardOutput } from '../operate/log.ts';
export { prepareStart } from './prepare-start.ts';
export type { Stop } from '../server/stop.ts';
export { findFreePort } from '../server/try-ports.ts';

type OpenStore = (needs: StoreNeeds) => Promise<Store>;

/** Parts that a test or a benchmark may replace. */
export interface Parts {
  readonly clock: Clock;
  /** By default the one that follows the machine's clock. */
  readonly timekeeper: Timekeeper;
  /** For what requests wait for. */
  readonly timer: Timer;
  readonly random: Random;
  readonly logger: Logger;
  /** Where the log is written, unless `logger` is given. By default standard output. */
  readonly logOutput: LogOutput;
  readonly openStore: OpenStore;
  /** For a simulation that writes nothing to a disk. */
  readonly inMemory: InMemory;
  /** Those that a supervisor hands over. */
  readonly sockets: InheritedSockets;
  /** For calls to hosts of clients. */
  readonly lookUp: LookUp;
  /** What the doctor says, for operators who ask for it in a browser. */
  readonly examine: () => Promise<readonly Finding[]>;
  /** For the log, of what was found before. */
  readonly warnings: readonly string[];
  /** For the log of a reload: what it does not read. */
  readonly forNextStart: () => readonly string[];
}

export interface Program {
  readonly app: FastifyInstance;
  /** Text for the person at the terminal. */
  readonly banner: string;
  /** Rejects when the store can no longer be trusted: the process must then be restarted. */
  readonly broken: Promise<never>;
  /**
   * Reads again what an operator may change while the service runs. A file with a fault changes
   * nothing; where the store does not answer, the clients alone stay as they were.
   */
  readonly reload: () => Promise<void>;
  /** A stop that takes longer is to be ended by force, counted from its beginning. */
  readonly stopLimitMs: Ms;
  listen(): Promise<void>;
  /** Finishes requests in progress, then closes everything in reverse order of opening. */
  close(how?: Stop): Promise<void>;
}

/** Creates and connects all parts of the service; nothing else does. */
export async function openProgram(settings: Config, parts: Partial<Parts> = {}): Promise<Program> {
  const machine = await machineOf(settings, parts);
  const { config, clock, machineClock, movableTime, random, drain, logger, log } = machine;
  const { sockets = NO_SOCKETS, warnings = [], examine = null, forNextStart = () => [] } = parts;
  const { promise: broken, reject: onPoisoned } = Promise.withResolvers<never>();
  broken.catch(() => undefined);
  const needs = storeNeeds(config, random, onPoisoned);
  for (const warning of [...warnings, ...needs.warnings]) logger.warn(warning);
  const meter = meterOf(config, log);
  const events = storeEvents(logger, meter);
  const tracer = await tracerOf(machine);
  const observers = { clock, meter, tracer };
  const { admit, keysAmongInstances, ...shared } = await openShared(
    { ...needs, ...events, clock: parts.clock === undefined ? clock : null },
    parts,
    observers,
  );
  const runtime = { ...machine, ...shared, keys: needs.keys, meter, tracer };
  const headFile = auditHeadFile(config, needs.keys);
  const { lookUp } = parts;
  const { app, mode } = await orClosed(openOn(runtime, headFile, { admit, lookUp }), shared.store);
  const housekeeping = startHousekeeping(runtime, mode, { file: headFile, onBehind: onPoisoned });
  const { context } = mode;
  const tools = { machineClock, lookUp, recorder: context.recorder, nextTurn: context.nextTurn };
  const webhooks = await webhooksOf({ ...runtime, ...context.services, ...tools });
  if (movableTime !== null) followMoves(movableTime, runtime, mode, { housekeeping, webhooks });
  const storeFault = () => unreadyStore(shared.store.health())[0]?.remedy ?? null;
  const keys = rereadKeys({ ...needs, keysAmongInstances });
  const rereads = [...(keys === null ? [] : [keys]), ...mode.rereads];
  const reload = reloadOf({ ...needs, logger, rereads, forNextStart, storeFault });
  const listeners = await privateListeners({ runtime, context, sockets, examine });
  return {
    app,
    banner: mode.banner,
    broken,
    async reload() {
      await reload();
      await webhooks.refresh();
    },
    stopLimitMs: stopLimits(config.drainMs).processMs,
    async listen() {
      await listenOn(app, { ...config, names: ['HOST', 'PORT'] }, sockets.api);
      await listeners.listen();
      await housekeeping.recordStart();
    },
    async close(how = {}) {
      const report = await announceStop(app, drain, { ...how, drainMs: config.drainMs });
      await Promise.all([app.close(), webhooks.stop()]);
      // The last numbers can be read until everything has been answered.
      await listeners.close();
      await housekeeping.stop();
      await mode.close();
      // If the store can no longer be trusted, the stop can't be recorded.
      await housekeeping.recordStop().catch(() => undefined);
      await shared.store.close();
      await runtime.tracer?.close();
      await writeLastLine(log, report());
    },
  };
}

/** Loads what sends webhooks only where a client has a receiver, now or after its file was read anew. */
async function webhooksOf(needs: Omit<WebhookNeeds, 'isMoving'>) {
  const { listeners } = needs;
  let opened: Webhooks | null = null;
  let moves = 0;
  async function refresh(): Promise<void> {
    if (opened !== null) return opened.refresh();
    const isTold = needs.clients.all().some(({ webhooks }) => webhooks.length > 0);
    if (!isTold && listeners?.isOn !== true) return;
    const { openWebhooks } = await import('../webhooks/open-webhooks.ts');
    opened ??= openWebhooks({ ...needs, isMoving: () => moves > 0 });
    // An expiry is told from the first sweep on, and a test may move the time at once.
    if (listeners !== null) await opened.catchUp();
  }
  const wake = async (isFirst: boolean) => {
    if (isFirst) await refresh();
    else void opened?.catchUp();
  };
  listeners?.onListen(wake, () => needs.clients.all().map(({ id }) => id));
  await refresh();
  return {
    refresh,
    catchUp: async () => opened?.catchUp(),
    /** Until the end of the work no attempt is told to have expired: it may have been decided. */
    async duringMove(work: () => Promise<unknown> | undefined) {
      moves += 1;
      try {
        await work();
      } finally {
        moves -= 1;
      }
    },
    stop: async () => opened?.stop(),
  };
}

interface Followers {
  readonly housekeeping: Pick<Housekeeping, 'catchUp'>;
  readonly webhooks: Pick<Awaited<ReturnType<typeof webhooksOf>>, 'catchUp' | 'duringMove'>;
}

function followMoves(
  time: MovableTime,
  { store, waiters }: Runtime,
  { collectDecided }: OpenMode,
  { housekeeping, webhooks }: Followers,
): void {
  time.onMove(async (step) => {
    // What has ended stays ended, because somebody may have been told so. What is decided in the time
    // that is passed over is known before it is seen that the rest has expired.
    await webhooks.duringMove(() =>
      step.to < step.from ? store.endOverdue(step) : collectDecided?.(step.from, step.to),
    );
    waiters.timeMoved();
    await Promise.all([housekeeping.catchUp(), webhooks.catchUp()]);
  });
}

/** What the process has of its machine, or what a test gives it. */
async function machineOf(settings: Config, parts: Partial<Parts>) {
  const config = withReader(settings);
  const { clock = systemClock, timekeeper = systemClock, timer = systemTimer } = parts;
  const { random = createRandom(), inMemory = null } = parts;
  const log = logOf(config.logLevel, parts);
  const { logger } = log;
  if (settings.docs && !config.docs) logger.warn(NO_READER);
  const movableTime = await openMovableTime(config, clock);
  const ownClock = movableTime ?? clock;
  const drain = { isOn: false };
  const times = { clock: ownClock, machineClock: clock, movableTime, timekeeper, timer };
  const listeners = config.simulator === null ? null : new WebhookListeners(clock);
  return { config, ...times, inMemory, drain, random, logger, log, listeners };
}

function meterOf(config: Config, log: Log): Meter {
  const meter = createMeter({ mode: bindingOf(config).mode, version: packageFile.version });
  meterLog(log, meter);
  return meter;
}

/** Closes the store when what needs it can't be opened. */
async function orClosed<Opened>(opening: Promise<Opened>, store: Store): Promise<Opened> {
  return opening.catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
}

/** Loads what traces need only where they are sent. */
async function tracerOf({
  config,
  random,
  logger,
}: Pick<Runtime, 'config' | 'random' | 'logger'>): Promise<Tracer | null> {
  if (config.traces === null) return null;
  const { openTracer } = await import('../operate/tracing/tracing.ts');
  const resource = {
    'service.name': 'miftah',
    'service.version': packageFile.version,
    'miftah.mode': bindingOf(config).mode,
  };
  return openTracer({ ...config.traces, resource, random, logger });
}

/** What instances share, and those who wait on this one for a change of it. */
async function openShared(
  needs: StoreNeeds,
  parts: Partial<Parts>,
  { clock, meter, tracer }: Pick<Runtime, 'clock' | 'meter' | 'tracer'>,
) {
  const opened = await openWith(needs, parts);
  const { store, coordination, admit, keysAmongInstances = null } = opened;
  const { notifier } = coordination;
  const { timer = systemTimer } = parts;
  const waiters = new StatusWaiters({ limits: needs.config.waiters, notifier, timer, meter });
  const admission = new Admission();
  const onStatusChange = (attemptId: AttemptId) => notifier.notify(attemptId);
  const observed = observedStore(store, { tracer, admission, clock, onStatusChange });
  return { store: observed, coordination, waiters, admission, admit, keysAmongInstances };
}

async function openWith(needs: StoreNeeds, { openStore }: Partial<Parts>): Promise<OpenedStore> {
  return openStore === undefined
    ? openServiceStore(needs)
    : withMemoryCoordination(await openStore(needs));
}

/** What the store tells while it runs. */
function storeEvents(
  logger: Logger,
  meter: Meter,
): Required<Pick<StoreNeeds, 'onBegin' | 'onConnections' | 'onLongLog' | 'onWarning'>> {
  return {
    onWarning: (text) => logger.warn(text),
    onBegin: meter.commitBegins,
    onConnections: (connections) => meter.storeConnections(connections),
    onLongLog: (bytes) =>
      logger.warn(
        { bytes },
        'the write-ahead log grows: does a backup, or another reader, not end?',
      ),
  };
}

/**
 * Loads only the chosen mode, because a live service needs no simulator and may not have it
 * installed.
 */
async function openMode(runtime: Runtime): Promise<OpenMode> {
  const { live, simulator } = runtime.config;
  if (simulator?.isStrict === true) {
    const { openStrictMode } = await orMissing(import('./strict-mode.ts'));
    return openStrictMode(runtime, simulator);
  }
  if (simulator !== null) {
    const { openSimulatorMode } = await orMissing(import('./simulator-mode.ts'));
    return openSimulatorMode(runtime, simulator);
  }
  if (live === null) throw new Error('the settings choose no mode');
  const { openLiveMode } = await import('./live-mode.ts');
  return openLiveMode(runtime, live);
}

async function openOn(
  runtime: Runtime,
  headFile: AuditHeadFile | null,
  { admit, lookUp }: { admit: OpenedStore['admit']; lookUp: LookUp | undefined },
): Promise<{ app: FastifyInstance; mode: OpenMode }> {
  const { config, clock, timekeeper, logger } = runtime;
  const mode = await openMode(runtime);
  // After everything that can refuse the start: wrong settings must not bind the store.
  await admit(async (store, { readTime }) => {
    // Before anything is decided by the time.
    if (readTime !== null) await timekeeper.followDatabase(readTime);
    // An instance with another key would break the audit log of all others.
    if (config.live !== null || config.database !== null) await requireKeys(store);
    const leftBehind = await requireNobodyLeft(config, store, () => runtime.keys);
    if (leftBehind !== null) logger.warn(leftBehind);
    await requireBegun(config, store);
    const isShared = config.database !== null;
    await requireKeptHead({ store, isShared, at: clock.now() }, headFile);
    const { binding } = await store.bindTo(bindingOf(config), clock.now());
    mode.bound?.(binding);
    // Two instances with different keys may have found an empty database.
    if (config.database !== null) await requireKeys(store);
  });
  const app = await buildApp(mode.context, await endpointsOf(mode, config, lookUp), logger);
  await mode.attach(app);
  return { app, mode };
}

/**
 * Only the instance that had the store in a file knows that its people are to be moved. What begins
 * the store may be on its way, so this is no fault of the settings: systemd starts it again.
 * @throws StoreOpenError
 */
async function requireBegun({ mayBegin }: Config, store: Store): Promise<void> {
  if (mayBegin || (await store.auditHead()).count > 0) return;
  throw new StoreOpenError(
    'store.left_behind',
    'the store was never used, and with NEW_STORE=no this instance begins none: start the one that ' +
      'may (`miftah` of systemd) first. If its people are still in a file, run `miftah move --to ' +
      'DATABASE_URL` with its settings before (systemd: `miftah-admin`)',
  );
}

/** Loads the OpenID Provider only where it is on. */
async function endpointsOf(
  { context, endpoints, launching, openidChosen: chosen }: OpenMode,
  config: Config,
  lookUp: LookUp | undefined,
): Promise<Endpoints> {
  if (!config.openid) return endpoints;
  const [{ openidFace }, { newSigningKeys }, { createOutbound, systemLookUp }] = await Promise.all([
    import('../openid/face.ts'),
    import('../platform/keys/signing-keys.ts'),
    import('../outbound/outbound.ts'),
  ]);
  const outbound = createOutbound({
    ...outboundRules(config),
    lookUp: lookUp ?? systemLookUp,
  });
  const face = openidFace(context, { launching, newSigningKeys, outbound, chosen });
  return { ...endpoints, origin: [...endpoints.origin, face] };
}
