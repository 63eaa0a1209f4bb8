import { expect, it } from 'vitest';
import type { AttemptId } from '../values/ids.ts';
import type { AuditEvent } from './audit.ts';
import { MINUTE_MS } from '../values/time.ts';
import { RepeatedEvents } from './repeated-events.flow.ts';

const NOW = 1_800_000_000_000;
const idOf = (number: number) => `attempt-${number}` as AttemptId;

const mismatch = (number: number, at = NOW): AuditEvent => ({
  at,
  action: 'browser.mismatch',
  attemptId: idOf(number),
  client: 'bank',
});

it('the first of a kind is to be written, the others of its minute are counted', () => {
  const events = new RepeatedEvents();
  expect(events.isFirst(mismatch(1))).toBe(true);
  expect(events.isFirst(mismatch(1, NOW + 5))).toBe(false);
  expect(events.isFirst(mismatch(1, NOW + 9))).toBe(false);
  expect(events.isFirst(mismatch(2, NOW + 9))).toBe(true);
  const row = { action: 'browser.mismatch', attemptId: idOf(1), client: 'bank', count: 2 };
  expect(events.take()).toEqual([{ ...row, at: NOW + 9 }]);
  expect(events.take()).toEqual([]);
});

it('the minute begins with the first event, and a new one with the next after its end', () => {
  const events = new RepeatedEvents();
  expect(events.isDue(NOW)).toBe(false);
  events.isFirst(mismatch(1));
  expect(events.isDue(NOW + MINUTE_MS - 1)).toBe(false);
  expect(events.isDue(NOW + MINUTE_MS)).toBe(true);
  events.take();
  expect(events.isDue(NOW + 9 * MINUTE_MS)).toBe(false);
  expect(events.isFirst(mismatch(1, NOW + 9 * MINUTE_MS))).toBe(true);
});

it('pushes that were held back are one kind for each client, whatever the attempt', () => {
  const events = new RepeatedEvents();
  const held = (number: number, client: string) =>
    events.isFirst({ ...mismatch(number), action: 'push.suppressed', client });
  expect([held(1, 'bank'), held(2, 'bank'), held(3, 'shop')]).toEqual([true, false, true]);
  expect(events.take()).toEqual([{ at: NOW, action: 'push.suppressed', client: 'bank', count: 1 }]);
});

it('more kinds than are kept share one for each action, and none is lost', () => {
  const events = new RepeatedEvents();
  const firsts = Array.from({ length: 1000 }, (_, index) => events.isFirst(mismatch(index)));
  expect(firsts.filter(Boolean)).toHaveLength(257);
  expect(events.take()).toEqual([{ at: NOW, action: 'browser.mismatch', count: 743 }]);
});

it('what could not be written is counted', () => {
  const events = new RepeatedEvents();
  events.isFirst(mismatch(1));
  events.add(mismatch(1), 1);
  events.add(mismatch(2), 4);
  expect(events.take()).toMatchObject([
    { attemptId: idOf(1), count: 1 },
    { attemptId: idOf(2), count: 4 },
  ]);
});
