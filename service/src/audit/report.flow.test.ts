import { expect, it } from 'vitest';
import type { AttemptId } from '../values/ids.ts';
import type { AuditEvent } from './audit.ts';
import { Refusal } from '../errors/refusal.ts';
import { MINUTE_MS } from '../values/time.ts';
import { createMeter } from '../operate/metrics/meter.ts';
import { createMemoryStore } from '../store/index.ts';
import { RepeatedEvents } from './repeated-events.flow.ts';
import { countRepeat, report, writeRepeated } from './report.flow.ts';

const NOW = 1_800_000_000_000;

function setUp() {
  const store = createMemoryStore();
  const services = {
    store,
    meter: createMeter({ mode: 'live', version: '0' }),
    repeated: new RepeatedEvents(),
    logRefusedToken: () => undefined,
  };
  const rows = async () => {
    const found = await store.readAudit({ after: 0, limit: 100 });
    return found.map(({ at, action, count }) => [at - NOW, action, count]);
  };
  return { ...services, services, rows };
}

const event = (at: number): AuditEvent => ({
  at: NOW + at,
  action: 'token.replayed',
  attemptId: '01900000-0000-7000-8000-000000000001' as AttemptId,
  client: 'bank',
});

it('a thousand repeats in a minute are two rows, and no number is lost', async () => {
  const { services, rows } = setUp();
  for (let at = 0; at < 1000; at += 1) await report(services, event(at));
  expect(await rows()).toEqual([[0, 'token.replayed', null]]);
  await report(services, event(MINUTE_MS));
  expect(await rows()).toEqual([
    [0, 'token.replayed', null],
    [999, 'token.replayed', 999],
    [MINUTE_MS, 'token.replayed', null],
  ]);
});

it('at the end of the service the number of the minute that has begun is written', async () => {
  const { services, rows } = setUp();
  for (let at = 0; at < 3; at += 1) await report(services, event(at));
  await writeRepeated(services);
  expect((await rows()).at(-1)).toEqual([2, 'token.replayed', 2]);
});

it('repetitions of what the store has said already are only counted', async () => {
  const { services, rows } = setUp();
  for (let at = 0; at < 3; at += 1) countRepeat(services, event(at));
  expect(await rows()).toEqual([]);
  await writeRepeated(services);
  expect(await rows()).toEqual([[2, 'token.replayed', 3]]);
});

it('a row that could not be written is in the number of the next', async () => {
  const { store, services: usual, rows } = setUp();
  let isFull = true;
  const recordEvent = (one: AuditEvent) =>
    isFull ? Promise.reject(new Refusal('storage.unavailable')) : store.recordEvent(one);
  const services = { ...usual, store: { recordEvent } };
  for (let at = 0; at < 3; at += 1) await report(services, event(at)).catch(() => undefined);
  await writeRepeated(services).catch(() => undefined);
  expect(await rows()).toEqual([]);
  isFull = false;
  await writeRepeated(services);
  expect(await rows()).toEqual([[2, 'token.replayed', 3]]);
});
