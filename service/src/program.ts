import type { FastifyInstance } from 'fastify';
import { pino, type Logger } from 'pino';
import type { BannerText } from './banner.ts';
import type { Config } from './config.ts';
import { MINUTE_MS } from './domain/time.ts';
import { purge } from './flow/purge.ts';
import { buildApp } from './http/app.ts';
import { systemClock } from './platform/clock.ts';
import { createRandom } from './platform/random.ts';
import { createScheduler } from './platform/scheduler.ts';
import { loadSecretKey } from './platform/secret-key.ts';
import type { Clock, Random } from './ports/runtime.ts';
import type { Store } from './ports/store.ts';
import { openLiveMode } from './program/live-mode.ts';
import type { Ground } from './program/mode.ts';
import { openSimulatorMode } from './program/simulator-mode.ts';
import { openSqliteStore } from './store/index.ts';

const PURGE_INTERVAL_MS = MINUTE_MS;

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
  const store = await openStore(config, onPoisoned);
  const ground: Ground = { config, clock, random, store, logger, serverKey: serverKey(config, random) };
  const mode = await (config.live === null ? openSimulatorMode(ground) : openLiveMode(ground, config.live));
  const app = await buildApp(mode.context, mode.endpoints, logger);
  await mode.attach(app);
  const housekeeping = createScheduler((error) => logger.error({ error }, 'the purge failed'));
  const purging = housekeeping.every(PURGE_INTERVAL_MS, async () => {
    await purge(store, config.retentionMs, clock.now());
  });
  return {
    app,
    banner: mode.banner,
    broken,
    async listen() {
      const { host, port } = config;
      await app.listen({ host, port }).catch((error: unknown) => {
        throw listenError(error, config);
      });
    },
    async close() {
      await app.close();
      await purging.stop();
      await mode.close();
      await store.close();
    },
  };
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

function serverKey(config: Config, random: Random): Uint8Array {
  if (config.secretKey === null) return loadSecretKey(config.dataDir, random);
  return Buffer.from(config.secretKey.reveal(), 'hex');
}
