import type { FastifyInstance } from 'fastify';
import { pino, type Logger } from 'pino';
import type { Config } from './config.ts';
import { SECOND_MS, type Ms } from './domain/time.ts';
import { purge } from './flow/purge.ts';
import { writeRepeated } from './flow/report.ts';
import type { Tools } from './flow/tools.ts';
import { buildApp } from './http/app.ts';
import { systemClock } from './platform/clock.ts';
import { createRandom } from './platform/random.ts';
import { createScheduler } from './platform/scheduler.ts';
import type { Clock, Random } from './ports/runtime.ts';
import type { Store } from './ports/store.ts';
import type { Ground, OpenMode } from './program/mode.ts';
import { openServiceStore, sealOf, storeNeeds, type StoreNeeds } from './program/open-store.ts';

/** Short, because the salt of a redemption is to be gone when its minute has ended (decision 4). */
const PURGE_INTERVAL_MS = 5 * SECOND_MS;

/** How late the row of a minute's repeated events may be. */
const REPORT_INTERVAL_MS = SECOND_MS;
const HOUSEKEEPING_FAILED = 'the housekeeping failed';

/** What is under way has this long to finish: less than operators and container hosts wait. */
const DRAIN_MS = 7 * SECOND_MS;

type OpenStore = (needs: StoreNeeds) => Promise<Store>;

/** What a test or a benchmark may put in the place of the real thing. */
export interface Parts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly openStore: OpenStore;
}

export interface Program {
  readonly app: FastifyInstance;
  /** For the person at the terminal. */
  readonly banner: string;
  /** Rejects when the store can't be trusted any more: the process has to start anew. */
  readonly broken: Promise<never>;
  /** Reads anew what an operator may change while the service runs; a fault changes nothing. */
  readonly reload: (() => Promise<void>) | null;
  listen(): Promise<void>;
  /** Finishes what is under way, then closes everything in the reverse order of opening. */
  close(): Promise<void>;
}

/** The only place where the parts of the service meet. */
export async function openProgram(config: Config, parts: Partial<Parts> = {}): Promise<Program> {
  const { clock = systemClock, random = createRandom(), openStore = openServiceStore } = parts;
  const logger = parts.logger ?? pino({ level: config.logLevel });
  const { promise: broken, reject: onPoisoned } = Promise.withResolvers<never>();
  broken.catch(() => undefined);
  const needs = storeNeeds(config, random, onPoisoned);
  const store = await openStore(needs);
  const ground: Ground = { config, clock, random, store, logger, serverKey: needs.keys.current };
  const { app, mode } = await openOn(ground).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  const { tools } = mode.context;
  const housekeeping = createScheduler((error) =>
    logger.error({ err: error }, HOUSEKEEPING_FAILED),
  );
  const purging = housekeeping.every(PURGE_INTERVAL_MS, async () => {
    await purge(store, config.retentionMs, clock.now());
  });
  const reporting = housekeeping.every(REPORT_INTERVAL_MS, async () => {
    if (tools.repeated.isDue(clock.now())) await writeRepeated(tools);
  });
  return {
    app,
    banner: mode.banner,
    broken,
    reload: mode.reload === null ? null : orStay(mode.reload, logger),
    async listen() {
      const { host, port } = config;
      await app.listen({ host, port }).catch((error: unknown) => {
        throw listenError(error, config);
      });
      await store.recordEvent({ at: clock.now(), action: 'service.started' });
    },
    async close() {
      cutOffLater(app);
      await app.close();
      await Promise.all([purging.stop(), reporting.stop()]);
      await mode.close();
      // A store that is no longer to be trusted has nothing to add.
      await sayStopped(tools, clock.now()).catch(() => undefined);
      await store.close();
    },
  };
}

async function sayStopped(tools: Tools, now: Ms): Promise<void> {
  await writeRepeated(tools);
  await tools.store.recordEvent({ at: now, action: 'service.stopped' });
}

/** Only the mode that is run is loaded: a live service needs no simulator, nor has one installed. */
async function openMode(ground: Ground): Promise<OpenMode> {
  const { live, simulator } = ground.config;
  if (simulator?.isStrict === true) {
    const { openStrictMode } = await import('./program/strict-mode.ts');
    return openStrictMode(ground, simulator);
  }
  if (simulator !== null) {
    const { openSimulatorMode } = await import('./program/simulator-mode.ts');
    return openSimulatorMode(ground, simulator);
  }
  if (live === null) throw new Error('the settings choose no mode');
  const { openLiveMode } = await import('./program/live-mode.ts');
  return openLiveMode(ground, live);
}

async function openOn(ground: Ground): Promise<{ app: FastifyInstance; mode: OpenMode }> {
  const { config, store, clock, logger } = ground;
  const mode = await openMode(ground);
  // Last of what can refuse the start: a start with wrong settings must not seal the store to them.
  await store.seal(sealOf(config), clock.now());
  const app = await buildApp(mode.context, mode.endpoints, logger);
  await mode.attach(app);
  return { app, mode };
}

function orStay(reload: () => Promise<void>, logger: Logger): () => Promise<void> {
  return () =>
    reload().then(
      () => logger.info('read anew what may change while the service runs'),
      (error: unknown) => logger.error({ err: error }, 'everything stays as it was'),
    );
}

/** A client that never finishes its request must not keep the store from being closed in order. */
function cutOffLater({ server }: FastifyInstance): void {
  const cutOff = () => server.closeAllConnections();
  AbortSignal.timeout(DRAIN_MS).addEventListener('abort', cutOff, { once: true });
}

const LISTEN_ADVICE: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is taken by another program. Stop it, or set PORT',
  EACCES: 'may not be used by this user. Set PORT to 1024 or higher',
  EADDRNOTAVAIL: 'is not an address of this machine. Set HOST to one that is',
};

function listenError(error: unknown, { host, port }: Config): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const advice = LISTEN_ADVICE[code];
  return advice === undefined ? error : new Error(`${host}:${port} ${advice}`, { cause: error });
}
