/** The real clock, chance and waiting. Everything else is given these, and a test gives others. */
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { Clock, Ms, Random } from './engine/ports.ts';

export interface Timer {
  /** Resolves after the time, or as soon as the signal is aborted; it never rejects. */
  sleep(ms: Ms, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = { now: () => Date.now() };

export const systemRandom: Random = {
  bytes: (count) => randomBytes(count),
  digits: (count) => Array.from({ length: count }, () => randomInt(10)).join(''),
  uuid: () => randomUUID(),
};

export const systemTimer: Timer = {
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

export { openReferenceFile } from './reference-file.ts';
