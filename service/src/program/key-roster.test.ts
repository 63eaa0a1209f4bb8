import { expect, test, vi } from 'vitest';
import { Refusal } from '../domain/errors/refusal.ts';
import type { UserId } from '../domain/user.ts';
import { createMemoryCoordination } from '../platform/coordination/memory-coordination.ts';
import { createMemoryStore } from '../store/index.ts';
import { whileCompared } from './compared-store.ts';
import { KeyRoster } from './key-roster.ts';

/** The numbers identify keys: the same number is the same key. */
const keysOf = (current: number, ...retired: number[]) => ({
  current: Buffer.alloc(32, current),
  retired: retired.map((number) => Buffer.alloc(32, number)),
});

function service() {
  const { notes } = createMemoryCoordination();
  let instances = 0;
  const onConflict = vi.fn<(error: Error) => void>();
  const clock = { at: 0, now: () => clock.at };
  const instance = (...keys: [number, ...number[]]) =>
    new KeyRoster({
      notes,
      instance: String((instances += 1)),
      keys: keysOf(...keys),
      clock,
      onConflict,
    });
  return { instance, notes, onConflict, clock };
}

const [OLD, NEW] = [1, 2] as const;

test('instances whose keys know each other start in any order', async () => {
  const { instance } = service();
  await instance(OLD).enter();
  await instance(OLD, NEW).enter();
  const other = service();
  await other.instance(OLD, NEW).enter();
  await other.instance(NEW, OLD).enter();
  await other.instance(NEW, OLD).enter();
  const last = service();
  await last.instance(NEW, OLD).enter();
  await last.instance(NEW).enter();
});

test('one that writes with a key that a running one does not know is told what to do first', async () => {
  const { instance } = service();
  await instance(OLD).enter();
  await expect(instance(NEW, OLD).enter()).rejects.toThrow('first start every instance with it');
});

test('one without the key of a running one is told which is missing', async () => {
  const { instance } = service();
  await instance(NEW, OLD).enter();
  await expect(instance(OLD).enter()).rejects.toThrow('give it here too');
});

test('one that was refused, or has left, is in nobody’s way', async () => {
  const { instance, notes } = service();
  const first = instance(OLD);
  await first.enter();
  await expect(instance(NEW, OLD).enter()).rejects.toThrow();
  await first.renew();
  await first.leave();
  // In the database a note without time left is not listed.
  const listed = notes.list.bind(notes);
  vi.spyOn(notes, 'list').mockImplementation(async (room) =>
    (await listed(room)).filter(({ name }) => name === '3'),
  );
  await instance(NEW, OLD).enter();
});

test('one that finds a foreign key while it runs has to stop', async () => {
  const { instance, notes, onConflict } = service();
  const running = instance(OLD);
  await running.enter();
  await running.renew();
  expect(onConflict).not.toHaveBeenCalled();
  // As after a time without the database: the other one did not see this one.
  const text = service();
  await text.instance(NEW, OLD).enter();
  const [note] = await text.notes.list('instance');
  const other = { room: 'instance', name: 'other', replaces: 0, keepMs: 1000 } as const;
  await notes.write({ ...other, text: note?.text ?? '' });
  await running.renew();
  expect(onConflict).toHaveBeenCalledOnce();
});

test('no key can be read from what an instance tells of its keys', async () => {
  const { instance, notes } = service();
  await instance(OLD, NEW).enter();
  const [note] = await notes.list('instance');
  expect(note?.text).toMatch(/^[0-9a-f]{16} [0-9a-f]{16} [0-9a-f]{16}$/);
});

test('an operation is refused when the keys were not compared for half a minute', async () => {
  const { instance, notes, clock } = service();
  const roster = instance(OLD);
  await expect(roster.requireCompared()).resolves.toBeUndefined();
  const write = vi.spyOn(notes, 'write').mockRejectedValue(new Refusal('storage.unavailable'));
  clock.at += 29_999;
  await expect(roster.requireCompared()).resolves.toBeUndefined();
  clock.at += 1;
  await expect(roster.requireCompared()).rejects.toMatchObject({ code: 'storage.unavailable' });
  write.mockRestore();
  await expect(roster.requireCompared()).resolves.toBeUndefined();
});

test('one that others no longer believed in does nothing with a key that they have left', async () => {
  const { instance, notes, clock, onConflict } = service();
  const cutOff = instance(OLD);
  await cutOff.enter();
  // Its note was forgotten while it could not reach the others.
  const list = vi.spyOn(notes, 'list').mockResolvedValueOnce([]);
  await instance(NEW, OLD).enter();
  list.mockRestore();
  clock.at += 30_000;
  await expect(cutOff.requireCompared()).rejects.toMatchObject({ code: 'storage.unavailable' });
  await expect(cutOff.requireCompared()).rejects.toMatchObject({ code: 'storage.unavailable' });
  expect(onConflict).toHaveBeenCalled();
});

test('a store does nothing before the keys were compared', async () => {
  const { instance, notes } = service();
  const store = createMemoryStore();
  const insert = vi.spyOn(store, 'findUser');
  const compared = whileCompared(store, instance(OLD));
  vi.spyOn(notes, 'write').mockRejectedValue(new Refusal('storage.unavailable'));
  await expect(compared.findUser(1 as UserId)).rejects.toMatchObject({
    code: 'storage.unavailable',
  });
  expect(insert).not.toHaveBeenCalled();
  expect(compared.health()).toEqual(store.health());
});
