import { expect, test } from 'vitest';
import { makeAttemptId, type AttemptId } from '../../src/domain/attempt-id.ts';
import type { AttemptBell } from '../../src/ports/coordination.ts';
import { withCoordination, type OpenCoordination } from './coordination-under-test.ts';

const MANY = 1000;

/** An attempt of its own for each number. */
function attempt(number: number): AttemptId {
  const random = new Uint8Array(10);
  new DataView(random.buffer).setUint32(6, number);
  return makeAttemptId(0, random);
}

interface Listening {
  readonly heard: readonly AttemptId[];
  readonly resyncs: () => number;
  readonly stop: () => void;
}

function listenAt(bell: AttemptBell): Listening {
  const heard: AttemptId[] = [];
  let resyncs = 0;
  const stop = bell.onRing({
    onAttempt: (attemptId) => void heard.push(attemptId),
    onAny: () => (resyncs += 1),
  });
  return { heard, resyncs: () => resyncs, stop };
}

async function until(check: () => boolean): Promise<void> {
  await expect.poll(() => check()).toBe(true);
}

/** Rings at one, until the other has heard it or has been told that it may have missed it. */
async function connected(one: AttemptBell, { heard, resyncs }: Listening): Promise<void> {
  const first = attempt(0);
  one.ring(first);
  await until(() => heard.includes(first) || resyncs() > 0);
}

export function bellTests(open: OpenCoordination): void {
  const withBells = (
    use: (one: AttemptBell, other: AttemptBell, crash: () => Promise<unknown>) => Promise<void>,
  ) => withCoordination(open, (one, other, crash) => use(one.bell, other.bell, crash));

  test('L-50: a ring is heard by all listeners of its instance before it returns', () =>
    withBells(async (one) => {
      const listeners = [listenAt(one), listenAt(one)];
      one.ring(attempt(1));
      expect(listeners.map(({ heard }) => heard)).toEqual([[attempt(1)], [attempt(1)]]);
    }));

  test('L-50, L-52: a ring is heard at every instance, or it is told that it may have missed it', () =>
    withBells(async (one, other) => {
      const listeners = [listenAt(other), listenAt(other), listenAt(other)];
      await Promise.all(listeners.map((listener) => connected(one, listener)));
      one.ring(attempt(1));
      for (const { heard } of listeners) await until(() => heard.includes(attempt(1)));
    }));

  test('L-51: an instance that has lost the others goes on telling its own listeners', () =>
    withBells(async (one, other, crash) => {
      const { heard } = listenAt(one);
      await connected(other, listenAt(one));
      await crash();
      one.ring(attempt(1));
      expect(heard).toContain(attempt(1));
    }));

  test(`L-53: of ${MANY} rings in one turn each is heard`, () =>
    withBells(async (one, other) => {
      const listener = listenAt(other);
      await connected(one, listener);
      const rung = Array.from({ length: MANY }, (_, index) => attempt(index + 1));
      for (const attemptId of rung) one.ring(attemptId);
      await until(() => new Set(listener.heard).isSupersetOf(new Set(rung)));
    }));

  test('L-54: a listener that has stopped is called no more', () =>
    withBells(async (one, other) => {
      const [stopped, stays] = [listenAt(other), listenAt(other)];
      await Promise.all([connected(one, stopped), connected(one, stays)]);
      stopped.stop();
      other.ring(attempt(1));
      for (let rings = 0; rings < 3; rings += 1) one.ring(attempt(2));
      await until(() => stays.heard.includes(attempt(2)));
      expect(stopped.heard).not.toContain(attempt(2));
    }));
}
