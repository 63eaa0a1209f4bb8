import { expect, test } from 'vitest';
import { makeAttemptId, type AttemptId } from '../../src/values/ids.ts';
import type { AttemptNotifier } from '../../src/platform/coordination/coordination.port.ts';
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

function listenAt(notifier: AttemptNotifier): Listening {
  const heard: AttemptId[] = [];
  let resyncs = 0;
  const stop = notifier.listen({
    onAttempt: (attemptId) => void heard.push(attemptId),
    onAny: () => (resyncs += 1),
  });
  return { heard, resyncs: () => resyncs, stop };
}

async function until(check: () => boolean): Promise<void> {
  await expect.poll(() => check()).toBe(true);
}

/** Notices at one, until the other has heard it or has been told that it may have missed it. */
async function connected(one: AttemptNotifier, { heard, resyncs }: Listening): Promise<void> {
  const first = attempt(0);
  one.notify(first);
  await until(() => heard.includes(first) || resyncs() > 0);
}

export function notifierTests(open: OpenCoordination): void {
  const withNotifiers = (
    use: (
      one: AttemptNotifier,
      other: AttemptNotifier,
      crash: () => Promise<unknown>,
    ) => Promise<void>,
  ) => withCoordination(open, (one, other, crash) => use(one.notifier, other.notifier, crash));

  test('L-50: a notice is heard by all listeners of its instance before it returns', () =>
    withNotifiers(async (one) => {
      const listeners = [listenAt(one), listenAt(one)];
      one.notify(attempt(1));
      expect(listeners.map(({ heard }) => heard)).toEqual([[attempt(1)], [attempt(1)]]);
    }));

  test('L-50, L-52: a notice is heard at every instance, or it is told that it may have missed it', () =>
    withNotifiers(async (one, other) => {
      const listeners = [listenAt(other), listenAt(other), listenAt(other)];
      await Promise.all(listeners.map((listener) => connected(one, listener)));
      one.notify(attempt(1));
      for (const { heard } of listeners) await until(() => heard.includes(attempt(1)));
    }));

  test('L-51: an instance that has lost the others goes on telling its own listeners', () =>
    withNotifiers(async (one, other, crash) => {
      const { heard } = listenAt(one);
      await connected(other, listenAt(one));
      await crash();
      one.notify(attempt(1));
      expect(heard).toContain(attempt(1));
    }));

  test(`L-53: of ${MANY} notices in one turn each is heard`, () =>
    withNotifiers(async (one, other) => {
      const listener = listenAt(other);
      await connected(one, listener);
      const notified = Array.from({ length: MANY }, (_, index) => attempt(index + 1));
      for (const attemptId of notified) one.notify(attemptId);
      await until(() => new Set(listener.heard).isSupersetOf(new Set(notified)));
    }));

  test('L-54: a listener that has stopped is called no more', () =>
    withNotifiers(async (one, other) => {
      const [stopped, stays] = [listenAt(other), listenAt(other)];
      await Promise.all([connected(one, stopped), connected(one, stays)]);
      stopped.stop();
      other.notify(attempt(1));
      for (let notices = 0; notices < 3; notices += 1) one.notify(attempt(2));
      await until(() => stays.heard.includes(attempt(2)));
      expect(stopped.heard).not.toContain(attempt(2));
    }));
}
