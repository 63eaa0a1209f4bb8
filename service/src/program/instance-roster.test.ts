import { describe, expect, test, vi } from 'vitest';
import { Refusal } from '../domain/errors/refusal.ts';
import type { UserId } from '../domain/user.ts';
import type { Timer } from '../ports/runtime.ts';
import { createMemoryCoordination } from '../platform/coordination/memory-coordination.ts';
import { createMemoryStore } from '../store/index.ts';
import { fencedByRoster } from './fenced-store.ts';
import { noteIn, noteOfInstance, textOf, type RosterNote } from './instance-note.ts';
import { InstanceRoster } from './instance-roster.ts';

const [OLD, NEW] = [1, 2] as const;

/** The numbers identify keys: the same number is the same key. */
const keysOf = (current: number, ...retired: number[]) => ({
  current: Buffer.alloc(32, current),
  retired: retired.map((number) => Buffer.alloc(32, number)),
});

/** Its time passes only when the test says so, or as fast as somebody waits for it. */
function service() {
  const { notes } = createMemoryCoordination();
  let instances = 0;
  const onConflict = vi.fn<(error: Error) => void>();
  const onWait = vi.fn<(reason: string) => void>();
  const clock = { at: 0, now: () => clock.at };
  const parts = { notes, clock, timer: atOnce(clock), onConflict, onWait };
  const enrol = (own: RosterNote) =>
    new InstanceRoster({ ...parts, own, instance: String((instances += 1)) });
  const place = 'one.example:3000';
  const instance = (...keys: [number, ...number[]]) =>
    enrol(noteOfInstance(keysOf(...keys), { place, isStrict: false }));
  const strict = () => enrol(noteOfInstance(keysOf(OLD), { place, isStrict: true }));
  return { instance, strict, enrol, ...parts };
}

/** A timer that does at once what it is given, and moves the clock on. */
function atOnce(clock: { at: number }): Timer & { onPause: () => void } {
  const timer = {
    onPause: () => undefined as void,
    after(ms: number, work: () => void) {
      clock.at += ms;
      timer.onPause();
      queueMicrotask(work);
      return () => undefined;
    },
  };
  return timer;
}

/** As in the database: a note is not listed any more when its time is over. */
function forgetOnTime({ notes, clock }: Pick<ReturnType<typeof service>, 'notes' | 'clock'>): void {
  const [list, write] = [notes.list.bind(notes), notes.write.bind(notes)];
  const ends = new Map<string, number>();
  vi.spyOn(notes, 'write').mockImplementation(async (note) => {
    const isWritten = await write(note);
    if (isWritten) ends.set(note.name, clock.at + note.keepMs);
    return isWritten;
  });
  vi.spyOn(notes, 'list').mockImplementation(async (room) =>
    (await list(room)).filter(({ name }) => (ends.get(name) ?? 0) > clock.at),
  );
}

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
  expect(note?.text).toMatch(/^[0-9a-f]{16} [0-9a-f]{16} [0-9a-f]{16} at=one\.example%3A3000$/);
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
  const fenced = fencedByRoster(store, instance(OLD));
  vi.spyOn(notes, 'write').mockRejectedValue(new Refusal('storage.unavailable'));
  await expect(fenced.findUser(1 as UserId)).rejects.toMatchObject({
    code: 'storage.unavailable',
  });
  expect(insert).not.toHaveBeenCalled();
  expect(fenced.health()).toEqual(store.health());
});

describe('a strict instance', () => {
  test('is refused beside any other one that runs', async () => {
    const scene = service();
    forgetOnTime(scene);
    const running = scene.instance(OLD);
    await running.enter();
    scene.timer.onPause = () => void running.renew();
    await expect(scene.strict().enter()).rejects.toThrow(
      'this instance has STRICT=yes, and its simulated provider is in its own process: no other ' +
        'instance can use the same database beside it, and one runs on one.example:3000',
    );
    expect(scene.onConflict).not.toHaveBeenCalled();
  });

  test('lets no other one start, and runs on when one tries', async () => {
    const scene = service();
    forgetOnTime(scene);
    const running = scene.strict();
    await running.enter();
    scene.timer.onPause = () => void running.renew();
    for (const other of [scene.strict(), scene.instance(OLD)]) {
      await expect(other.enter()).rejects.toThrow('STRICT=yes');
    }
    await expect(running.requireCompared()).resolves.toBeUndefined();
    expect(scene.onConflict).not.toHaveBeenCalled();
  });

  test('starts when one that was killed is forgotten, and says what it waits for', async () => {
    const scene = service();
    forgetOnTime(scene);
    await scene.strict().enter();
    await scene.strict().enter();
    expect(scene.clock.at).toBe(45_000);
    expect(scene.onWait).toHaveBeenCalledOnce();
    expect(scene.onWait.mock.calls[0]?.[0]).toContain('Waiting until it is certain');
  });
});

describe('a command that has to be alone', () => {
  const restore = { command: 'restore', place: 'two.example' };

  test('keeps every instance from starting until it is done', async () => {
    const scene = service();
    forgetOnTime(scene);
    const command = scene.enrol(restore);
    await command.enter();
    await expect(scene.instance(OLD).enter()).rejects.toThrow(
      '`miftah restore` works on this database, on two.example: start after it',
    );
    await command.leave();
    await scene.instance(OLD).enter();
  });

  test('stops an instance that was cut off from the database and comes back', async () => {
    const scene = service();
    forgetOnTime(scene);
    const cutOff = scene.instance(OLD);
    await cutOff.enter();
    scene.clock.at += 45_000;
    await scene.enrol(restore).enter();
    await expect(cutOff.requireCompared()).rejects.toMatchObject({ code: 'storage.unavailable' });
    expect(scene.onConflict).toHaveBeenCalledOnce();
  });

  test('is refused while another one works', async () => {
    const scene = service();
    forgetOnTime(scene);
    const first = scene.enrol(restore);
    await first.enter();
    scene.timer.onPause = () => void first.renew();
    await expect(scene.enrol({ ...restore, command: 'keys abandon' }).enter()).rejects.toThrow(
      'the database is in use: `miftah restore` on two.example',
    );
  });

  test('keeps an instance of an earlier version from starting: it knows no such key', async () => {
    const { enrol, notes } = service();
    await enrol(restore).enter();
    const [note] = await notes.list('instance');
    expect(note?.text.split(' ')[0]).not.toMatch(/^[0-9a-f]{16}$/);
  });
});

test('what a program tells of itself is read as it was written', () => {
  const notes = [
    noteOfInstance(keysOf(OLD, NEW), { place: 'a b:1 strict', isStrict: true }),
    noteOfInstance(keysOf(OLD), { place: 'at=command=x', isStrict: false }),
    { command: 'keys abandon', place: '' },
  ];
  for (const note of notes) {
    const read = noteIn(textOf(note));
    if ('keys' in note && 'keys' in read) {
      expect({ ...read, keys: [...new Set(read.keys)] }).toEqual(note);
    } else expect(read).toEqual(note);
  }
  // As an instance of an earlier version writes it.
  expect(noteIn('aa aa bb')).toEqual({
    keys: ['aa', 'aa', 'bb'],
    place: 'unknown',
    isStrict: false,
  });
});
