/** The real clock, randomness and timer. They are passed to everything else; tests pass others. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { readRegularFile } from '@miftah/schema/regular-file';
import type { People } from '../engine/people/people.ts';
import { parsePeople, PeopleError } from '../engine/people/people-file.ts';
import type { Clock, Random } from '../engine/ports.ts';
import type { Timer } from './timer.ts';

/**
 * Posts JSON. Resolves with the status of the answer, or null when there was none. It never
 * rejects.
 */
export type Post = (address: string, json: string) => Promise<number | null>;

/** How long the relying party may take to answer a callback. */
const POST_TIMEOUT_MS = 5000;

export const systemClock: Clock = { now: () => Date.now() };

/** Milliseconds since any moment, for durations. */
export const systemElapsed = () => performance.now();

export const systemRandom: Random = {
  bytes: (count) => randomBytes(count),
  digits: (count) => Array.from({ length: count }, () => randomInt(10)).join(''),
  uuid: () => randomUUID(),
};

export const systemTimer: Timer = {
  elapsed: systemElapsed,
  sleep(ms, signal) {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done);
    });
  },
};

/** Does not follow redirects, because only the configured address may get the result. */
export const systemPost: Post = async (address, json) => {
  try {
    const answer = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: json,
      redirect: 'manual',
      signal: AbortSignal.timeout(POST_TIMEOUT_MS),
    });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    return null;
  }
};

/**
 * A port that is free now. Another program may take it before the caller does, which then fails.
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

/** More than as many people as there can be need, with every name as long as it may be. */
const PEOPLE_BYTES = 384 * 1024 * 1024;

/** @throws Error that names the setting, or PeopleError that lists the faults */
export function readPeopleFile(path: string): People {
  const text = peopleText(path);
  try {
    return parsePeople(text);
  } catch (error) {
    if (!(error instanceof PeopleError)) throw error;
    const { faults } = error;
    const isOfClients = faults.some((fault) => fault.endsWith('must not have "clients"'));
    throw new PeopleError(isOfClients ? [...faults, CLIENTS] : faults, path);
  }
}

const CLIENTS = 'it looks like a clients file, which CLIENTS_FILE names';

function peopleText(path: string): string {
  try {
    return readRegularFile(path, PEOPLE_BYTES);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`PEOPLE_FILE ${path} can't be read: ${reason}`, { cause: error });
  }
}

export { openKeyFile } from '../keys/key-file.ts';
export { openReferenceFile } from './reference-file.ts';
export { MovableTime } from './movable-time.ts';
export type { Timer } from './timer.ts';
