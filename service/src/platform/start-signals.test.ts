import process from 'node:process';
import { expect, test, vi } from 'vitest';
import { listenWhileStarting } from './start-signals.ts';

/** No real signals: they would end the test run. */
const NAMES = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

test('a stop ends a start at once, and a reload waits for its end', () => {
  const end = vi.fn<() => void>();
  const signals = listenWhileStarting(end);
  process.emit('SIGHUP');
  expect(end).not.toHaveBeenCalled();
  process.emit('SIGTERM');
  process.emit('SIGINT');
  expect(end).toHaveBeenCalledTimes(2);
  expect(signals.handOver()).toBe(true);
});

test('after it no signal is listened to any more', () => {
  const before = NAMES.map((name) => process.listenerCount(name));
  const signals = listenWhileStarting(vi.fn<() => void>());
  expect(NAMES.map((name) => process.listenerCount(name))).not.toEqual(before);
  expect(signals.handOver()).toBe(false);
  expect(NAMES.map((name) => process.listenerCount(name))).toEqual(before);
});
