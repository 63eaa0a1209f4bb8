import { devNull } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { loadConfig } from '../../service/src/config/config.ts';
import { hashClientKey, isClientKey } from '../../service/src/account/client.ts';
import { readClients } from '../../service/src/platform/files/clients-file.ts';
import { createRandom } from '../../service/src/platform/runtime.ts';
import { findFreePort, openProgram, type Program } from '../../service/src/program/program.ts';
import { createMemoryStore } from '../../service/src/store/index.ts';
import type { Client } from './clients.ts';
import type { Population } from './people.ts';
import { inOurNames, toWire } from './wire.ts';

const HOST = '127.0.0.1';
const KEY_BYTES = 32;
/** Another program may take the port that was free a moment ago. */
const MOST_TRIES = 5;

/** A folder that no system lets be made, so that a write to the disk would fail. */
const NO_FOLDER = join(devNull, 'miftah');

export interface InProcessOptions {
  readonly isStrict: boolean;
  readonly isOpenid: boolean;
  /** Null: the client of the simulator. */
  readonly clients: readonly Client[] | null;
  /** Beside the test people; null: nobody. */
  readonly population: Population | null;
}

export interface Opened {
  readonly origin: string;
  /** Resolves when nothing of it is left. */
  readonly close: () => Promise<void>;
}

/** @throws TypeError for clients that can't be */
export async function openInProcess({
  isStrict,
  isOpenid,
  clients,
  population,
}: InProcessOptions): Promise<Opened> {
  const random = createRandom();
  const settings = {
    HOST,
    DATA_DIR: NO_FOLDER,
    SECRET_KEY: Buffer.from(random.bytes(KEY_BYTES)).toString('hex'),
    STRICT: isStrict ? 'yes' : 'no',
    OPENID: isOpenid ? 'on' : 'off',
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'silent',
  };
  const inMemory = {
    clients: clients === null ? null : accountsOf(clients),
    people: population === null ? null : await peopleWith(population),
  };
  for (let tried = 1; ; tried += 1) {
    const port = await findFreePort(HOST);
    // The settings of the application under test are in the environment, so it is not read.
    const { config } = loadConfig([], settings, { PORT: String(port) });
    const program = await openProgram(config, {
      logger: pino({ level: 'silent' }),
      random,
      openStore: async () => createMemoryStore(),
      inMemory,
    });
    if (await listens(program, tried)) {
      return { origin: config.publicUrl, close: () => program.close() };
    }
  }
}

/** Who starts without a population does not load what makes one. */
async function peopleWith(population: Population) {
  const { withPopulation } = await import('@miftah/simulator/population');
  return withPopulation(population);
}

/** False when the port was taken meanwhile. */
async function listens(program: Program, tried: number): Promise<boolean> {
  try {
    await program.listen();
    return true;
  } catch (error) {
    await program.close();
    if (tried === MOST_TRIES || !isTaken(error)) throw error;
    return false;
  }
}

function isTaken(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
}

/** @throws TypeError that lists what is wrong, in the names of this package */
function accountsOf(clients: readonly Client[]) {
  try {
    return readClients({ clients: clients.map(rowOf) }, 'clients');
  } catch (error) {
    const said = error instanceof Error ? error.message : '';
    throw new TypeError(`startMiftah: ${inOurNames(said)}`, { cause: error });
  }
}

/** As the clients file has it, where a key is a hash. */
function rowOf(client: Client): unknown {
  const keys = client.keys?.map((key) => (isClientKey(key) ? hashClientKey(key) : key));
  return toWire({ ...client, keys });
}
