import { expect, test } from 'vitest';
import { MOST_AT_ONE_ATTEMPT } from '../../src/values/limits.ts';
import type { AttemptLock } from '../../src/platform/coordination/coordination.port.ts';
import { withCoordination, type OpenCoordination } from './coordination-under-test.ts';
import { sampleAttempt } from './samples.ts';

const RACERS = 20;

type UseLocks = (one: AttemptLock, other: AttemptLock) => Promise<void>;
type WithLocks = (use: UseLocks) => Promise<void>;

export function attemptLockTests(open: OpenCoordination): void {
  const withLocks: WithLocks = (use) =>
    withCoordination(open, (one, other) => use(one.attemptLock, other.attemptLock));
  orderTests(withLocks);
  boundTests(withLocks);
  settledTests(withLocks);

  test('L-25: who dies while holding an attempt does not keep it', () =>
    withCoordination(open, async ({ attemptLock }, _other, crash) => {
      const id = anAttempt();
      const begun = Promise.withResolvers<void>();
      const never = attemptLock.run(id, () => {
        begun.resolve();
        return new Promise(() => undefined);
      });
      await Promise.race([begun.promise, never]);
      const survivor = await crash();
      await expect(survivor.attemptLock.run(id, async () => 'goes on')).resolves.toBe('goes on');
    }));
}

const anAttempt = () => sampleAttempt().attemptId;

function orderTests(withLocks: WithLocks): void {
  test(`L-20: ${RACERS} pieces of work at two instances never overlap`, () =>
    withLocks(async (one, other) => {
      const id = anAttempt();
      let running = 0;
      const works = Array.from({ length: RACERS }, (_, index) =>
        (index % 2 === 0 ? one : other).run(id, async () => {
          running += 1;
          const seen = running;
          await other.settled(anAttempt());
          running -= 1;
          return seen;
        }),
      );
      expect(new Set(await Promise.all(works))).toEqual(new Set([1]));
    }));

  test('L-21: what was asked for first runs first, and another attempt waits for none of it', () =>
    withLocks(async (lock) => {
      const id = anAttempt();
      const told: string[] = [];
      const gate = Promise.withResolvers<void>();
      const first = lock.run(id, async () => {
        await gate.promise;
        told.push('first');
      });
      const second = lock.run(id, async () => void told.push('second'));
      const third = lock.run(id, async () => void told.push('third'));
      await lock.run(anAttempt(), async () => void told.push('other'));
      expect(told).toEqual(['other']);
      gate.resolve();
      await Promise.all([first, second, third]);
      expect(told).toEqual(['other', 'first', 'second', 'third']);
    }));

  test('L-22: a failure is its own caller’s, and holds up nobody at either instance', () =>
    withLocks(async (one, other) => {
      const id = anAttempt();
      const failed = one.run(id, () => Promise.reject(new Error('no')));
      const next = one.run(id, async () => 'yes');
      await expect(failed).rejects.toThrow('no');
      await expect(next).resolves.toBe('yes');
      await expect(other.run(id, async () => 'also')).resolves.toBe('also');
    }));
}

function boundTests(withLocks: WithLocks): void {
  test(`L-23: ${MOST_AT_ONE_ATTEMPT} pieces of work for one attempt, and room again as they end`, () =>
    withLocks(async (lock) => {
      const id = anAttempt();
      const gate = Promise.withResolvers<void>();
      const works = Array.from({ length: MOST_AT_ONE_ATTEMPT }, () =>
        lock.run(id, () => gate.promise),
      );
      const more = lock.run<unknown>(id, async () => 'ran').catch((error: unknown) => error);
      await expect(lock.run(anAttempt(), async () => 'other')).resolves.toBe('other');
      gate.resolve();
      expect(await more).toMatchObject({ code: 'server.overloaded' });
      await Promise.all(works);
      await expect(lock.run(id, async () => 'again')).resolves.toBe('again');
    }));
}

function settledTests(withLocks: WithLocks): void {
  test('L-20, L-24: who only waits, at another instance, sees the end of what was under way', () =>
    withLocks(async (one, other) => {
      const id = anAttempt();
      const begun = Promise.withResolvers<void>();
      const gate = Promise.withResolvers<void>();
      let ended = false;
      const work = one.run(id, async () => {
        begun.resolve();
        await gate.promise;
        ended = true;
        throw new Error('no');
      });
      await begun.promise;
      const waiting = other.settled(id).then(() => ended);
      gate.resolve();
      await expect(work).rejects.toThrow('no');
      await expect(waiting).resolves.toBe(true);
    }));

  test('L-24: who only waits does not wait where nothing is under way, or for what comes later', () =>
    withLocks(async (lock) => {
      const id = anAttempt();
      await expect(lock.settled(id)).resolves.toBeUndefined();
      const [before, later] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const first = lock.run(id, () => before.promise);
      const waiting = lock.settled(id);
      const second = lock.run(id, () => later.promise);
      before.resolve();
      await expect(waiting).resolves.toBeUndefined();
      later.resolve();
      await Promise.all([first, second]);
    }));
}
