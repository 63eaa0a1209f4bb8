import type { FastifyInstance } from 'fastify';
import { pino, type Logger } from 'pino';
import type { Config } from './config.ts';
import { SECOND_MS } from './domain/time.ts';
import { purge } from './flow/purge.ts';
import { buildApp } from './http/app.ts';
import { systemClock } from './platform/clock.ts';
import { keepPrivate } from './platform/private-files.ts';
import { createRandom } from './platform/random.ts';
import { createScheduler } from './platform/scheduler.ts';
import { KEY_FILE, loadSecretKey } from './platform/secret-key.ts';
import type { Clock, Random } from './ports/runtime.ts';
import type { Store } from './ports/store.ts';
import type { Vault } from './ports/vault.ts';
import { openLiveMode, openVault } from './program/live-mode.ts';
import type { Ground } from './program/mode.ts';
import { openSimulatorMode } from './program/simulator-mode.ts';
import { openSqliteStore, STORE_FILES } from './store/index.ts';

/** Short, because the salt of a redemption is to be gone when its minute has ended (decision 4). */
const PURGE_INTERVAL_MS = 5 * SECOND_MS;

/** What is under way has this long to finish: less than operators and container hosts wait. */
const DRAIN_MS = 7 * SECOND_MS;

export interface StoreNeeds {
  readonly config: Config;
  readonly vault: Vault | null;
  readonly onPoisoned: (error: Error) => void;
}

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
  /** Reads anew what an operator may change while the service runs. */
  reload(): void;
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
  const key = serverKey(config, random);
  const vault = config.live === null ? null : openVault(key, config.live, random);
  const store = await openStore({ config, vault, onPoisoned });
  const ground: Ground = { config, clock, random, store, logger, serverKey: key };
  const { live } = config;
  const mode = await (live === null ? openSimulatorMode(ground) : openLiveMode(ground, live));
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
    reload: () => mode.reload(),
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
      await mode.close();
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

async function openSqlite({ config, vault, onPoisoned }: StoreNeeds): Promise<Store> {
  return openSqliteStore({
    directory: config.dataDir,
    vault,
    onPoisoned: (reason) => onPoisoned(new Error(reason)),
  });
}

function serverKey(config: Config, random: Random): Uint8Array {
  if (config.secretKey === null) return loadSecretKey(config.dataDir, random);
  return Buffer.from(config.secretKey.reveal(), 'hex');
}
