import { once } from 'node:events';
import { createServer } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { pino, type Logger } from 'pino';
import type { Config } from './config.ts';
import { SECOND_MS } from './domain/time.ts';
import { buildApp } from './http/app.ts';
import type { AuditHeadFile } from './platform/audit-head-file.ts';
import { systemClock } from './platform/clock.ts';
import { createMemoryCoordination } from './platform/coordination/memory-coordination.ts';
import { createRandom } from './platform/random.ts';
import type { Clock, Random, Timekeeper } from './ports/runtime.ts';
import type { Store } from './ports/store.ts';
import { auditHeadFile, requireKeptHead } from './program/audit-head.ts';
import { keepHouse } from './program/housekeeping.ts';
import type { Runtime, OpenMode } from './program/mode.ts';
import { openServiceStore, sealOf, storeNeeds, type StoreNeeds } from './program/open-store.ts';

/** What is under way has this long to finish: less than operators and container hosts wait. */
const DRAIN_MS = 7 * SECOND_MS;

type OpenStore = (needs: StoreNeeds) => Promise<Store>;

/** What a test or a benchmark may put in the place of the real thing. */
export interface Parts {
  readonly clock: Clock;
  /** That of the machine's own clock, if nothing else is said. */
  readonly timekeeper: Timekeeper;
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
  const { clock = systemClock, timekeeper = systemClock } = parts;
  const { random = createRandom(), openStore = openServiceStore } = parts;
  const logger = parts.logger ?? pino({ level: config.logLevel });
  const { promise: broken, reject: onPoisoned } = Promise.withResolvers<never>();
  broken.catch(() => undefined);
  const needs = storeNeeds(config, random, onPoisoned);
  for (const warning of needs.warnings) logger.warn(warning);
  const store = await openStore(needs);
  const serverKey = needs.keys.current;
  const coordination = createMemoryCoordination();
  const machine = { config, clock, timekeeper, random, logger };
  const runtime: Runtime = { ...machine, store, coordination, serverKey };
  const headFile = auditHeadFile(config, needs.keys);
  const { app, mode } = await openOn(runtime, headFile).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  const house = keepHouse(runtime, mode.context.services, headFile);
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
      await house.recordStart();
    },
    async close() {
      cutOffLater(app);
      await app.close();
      await house.stop();
      await mode.close();
      // A store that is no longer to be trusted has nothing to add.
      await house.recordStop().catch(() => undefined);
      await store.close();
    },
  };
}

/** Only the mode that is run is loaded: a live service needs no simulator, nor has one installed. */
async function openMode(runtime: Runtime): Promise<OpenMode> {
  const { live, simulator } = runtime.config;
  if (simulator?.isStrict === true) {
    const { openStrictMode } = await import('./program/strict-mode.ts');
    return openStrictMode(runtime, simulator);
  }
  if (simulator !== null) {
    const { openSimulatorMode } = await import('./program/simulator-mode.ts');
    return openSimulatorMode(runtime, simulator);
  }
  if (live === null) throw new Error('the settings choose no mode');
  const { openLiveMode } = await import('./program/live-mode.ts');
  return openLiveMode(runtime, live);
}

async function openOn(
  runtime: Runtime,
  headFile: AuditHeadFile | null,
): Promise<{ app: FastifyInstance; mode: OpenMode }> {
  const { config, store, clock, logger } = runtime;
  const mode = await openMode(runtime);
  await requireKeptHead(store, headFile);
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

/**
 * Free now. It is given back before the service takes it, since addresses that contain it have to be
 * known first: should somebody else be quicker, the start ends and says so.
 */
export async function findFreePort(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
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
