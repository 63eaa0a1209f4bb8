import { join } from 'node:path';
import { simulator } from '@miftah/simulator/app';
import { BUILT_IN_PEOPLE, defaultSettings, Engine } from '@miftah/simulator/engine';
import {
  openReferenceFile,
  systemRandom as simulatorRandom,
  systemTimer,
} from '@miftah/simulator/platform';
import type { FastifyInstance } from 'fastify';
import { pino, type Logger } from 'pino';
import packageFile from '../package.json' with { type: 'json' };
import type { BannerText } from './banner.ts';
import { isLocalOnly, type Config } from './config.ts';
import { SECOND_MS } from './domain/time.ts';
import { purge } from './flow/purge.ts';
import type { Tools } from './flow/tools.ts';
import { buildApp } from './http/app.ts';
import { BASE_PATH } from './http/context.ts';
import { curlLines } from './http/curl-lines.ts';
import { systemClock } from './platform/clock.ts';
import { keepPrivate } from './platform/private-files.ts';
import { createRandom } from './platform/random.ts';
import { createRateLimiter } from './platform/rate-limiter.ts';
import { createScheduler } from './platform/scheduler.ts';
import { KEY_FILE, loadSecretKey } from './platform/secret-key.ts';
import type { Clock, Random } from './ports/runtime.ts';
import type { Store } from './ports/store.ts';
import { createSimulatedProvider } from './provider/simulated-provider.ts';
import { openSqliteStore, STORE_FILES } from './store/index.ts';

/** Short, because the salt of a redemption is to be gone when its minute has ended (decision 4). */
const PURGE_INTERVAL_MS = 5 * SECOND_MS;

/** What is under way has this long to finish: less than operators and container hosts wait. */
const DRAIN_MS = 7 * SECOND_MS;

/** What a test or a benchmark may put in the place of the real thing. */
export interface Parts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly openStore: (config: Config, onPoisoned: (error: Error) => void) => Promise<Store>;
}

export interface Program {
  readonly app: FastifyInstance;
  readonly banner: BannerText;
  /** Rejects when the store can't be trusted any more: the process has to start anew. */
  readonly broken: Promise<never>;
  listen(): Promise<void>;
  /** Finishes what is under way, then closes everything in the reverse order of opening. */
  close(): Promise<void>;
}

/** The only place where the parts of the service meet. */
export async function openProgram(config: Config, parts: Partial<Parts> = {}): Promise<Program> {
  const { clock = systemClock, random = createRandom(), openStore = openSqlite } = parts;
  const logger = parts.logger ?? pino({ level: config.logLevel });
  const { promise: broken, reject: onPoisoned } = Promise.withResolvers<never>();
  broken.catch(() => undefined);
  keepPrivate(config.dataDir, [KEY_FILE, ...STORE_FILES]);
  const store = await openStore(config, onPoisoned);
  const engine = openEngine(config, clock);
  const provider = createSimulatedProvider(engine);
  const tools: Tools = {
    store,
    provider,
    simulation: provider,
    random,
    serverKey: serverKey(config, random),
    tokenMark: 'simulator',
    tokenLifetimeMs: config.tokenLifetimeMs,
  };
  const app = await buildApp(httpContext(config, tools, clock), logger);
  await app.register(simulator, simulatorOptions(config, engine, random));
  const housekeeping = createScheduler((error) => logger.error({ error }, 'the purge failed'));
  const purging = housekeeping.every(PURGE_INTERVAL_MS, async () => {
    await purge(store, config.retentionMs, clock.now());
  });
  return {
    app,
    banner: bannerText(config, tools),
    broken,
    async listen() {
      const { host, port } = config;
      await app.listen({ host, port }).catch((error: unknown) => {
        throw listenError(error, config);
      });
    },
    async close() {
      cutOffLater(app);
      await app.close();
      await purging.stop();
      await store.close();
    },
  };
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

async function openSqlite(config: Config, onPoisoned: (error: Error) => void): Promise<Store> {
  return openSqliteStore({
    directory: config.dataDir,
    onPoisoned: (reason) => onPoisoned(new Error(reason)),
  });
}

function openEngine(config: Config, clock: Clock): Engine {
  return new Engine({
    settings: defaultSettings(config.publicUrl),
    people: BUILT_IN_PEOPLE,
    clock,
    random: simulatorRandom,
    references: openReferenceFile(join(config.dataDir, 'simulator')),
  });
}

function serverKey(config: Config, random: Random): Uint8Array {
  if (config.secretKey === null) return loadSecretKey(config.dataDir, random);
  return Buffer.from(config.secretKey.reveal(), 'hex');
}

function httpContext(config: Config, tools: Tools, clock: Clock) {
  return {
    tools,
    clock,
    limiter: config.rateLimits ? createRateLimiter() : null,
    settings: {
      mode: 'simulator',
      publicUrl: config.publicUrl,
      dashboardUrl: config.dashboardUrl,
      allowedHosts: config.allowedHosts,
      trustedProxies: config.trustedProxies,
      corsOrigins: config.corsOrigins,
      version: packageFile.version,
    },
  } as const;
}

/** Where others can reach it, the control API stays shut unless the operator has set a token for it. */
function simulatorOptions(config: Config, engine: Engine, random: Random) {
  const unguessable = Buffer.from(random.bytes(32)).toString('hex');
  const token = config.simulatorToken?.reveal() ?? (isLocalOnly(config) ? null : unguessable);
  const { publicUrl, allowedHosts } = config;
  return { engine, timer: systemTimer, control: { publicUrl, allowedHosts, token } };
}

function bannerText(config: Config, { simulation }: Tools): BannerText {
  const people = simulation.people();
  const example = people[0]?.nationalId ?? '';
  return { config, people, curl: curlLines(config.publicUrl + BASE_PATH, example) };
}
