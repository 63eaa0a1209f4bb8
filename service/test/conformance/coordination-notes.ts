import { expect, test } from 'vitest';
import { HOUR_MS } from '../../src/values/time.ts';
import type { NewNote, SharedNotes } from '../../src/platform/coordination/coordination.port.ts';
import { withCoordination, type OpenCoordination } from './coordination-under-test.ts';

const RACERS = 32;
const MANY = 300;

const noteWith = (name: string, text: string, replaces = 0): NewNote => ({
  room: 'decision',
  name,
  text,
  replaces,
  keepMs: HOUR_MS,
});

export function noteTests(open: OpenCoordination): void {
  const withNotes = (use: (one: SharedNotes, other: SharedNotes) => Promise<void>) =>
    withCoordination(open, (one, other) => use(one.notes, other.notes));

  test('L-1, L-41: a note is read at every instance, by its name and in the list', () =>
    withNotes(async (one, other) => {
      expect(await other.read('decision', 'a')).toBeNull();
      expect(await one.write(noteWith('a', 'first'))).toBe(true);
      expect(await other.read('decision', 'a')).toEqual({ name: 'a', text: 'first', version: 1 });
      expect(await other.write(noteWith('a', 'second', 1))).toBe(true);
      await one.write(noteWith('b b', 'of another name'));
      const listed = (await one.list('decision')).toSorted((x, y) => (x.name < y.name ? -1 : 1));
      expect(listed).toEqual([
        { name: 'a', text: 'second', version: 2 },
        { name: 'b b', text: 'of another name', version: 1 },
      ]);
    }));

  test('L-40: a note of another version is not replaced, and one that is there is not new', () =>
    withNotes(async (one, other) => {
      expect(await one.write(noteWith('a', 'text', 1))).toBe(false);
      await one.write(noteWith('a', 'text'));
      expect(await other.write(noteWith('a', 'other'))).toBe(false);
      expect(await other.write(noteWith('a', 'other', 2))).toBe(false);
      expect((await one.read('decision', 'a'))?.text).toBe('text');
    }));

  test(`L-40: of ${RACERS} that replace one version, at two instances, one succeeds`, () =>
    withNotes(async (one, other) => {
      for (const version of [0, 1]) {
        const racers = Array.from({ length: RACERS }, (_, index) =>
          (index % 2 === 0 ? one : other).write(noteWith('a', `by ${index}`, version)),
        );
        expect((await Promise.all(racers)).filter((isWritten) => isWritten)).toHaveLength(1);
      }
    }));

  test('L-42: a note is kept beside many others that are needed no more', () =>
    withNotes(async (one) => {
      for (let number = 0; number < MANY; number += 1) {
        await one.write({ ...noteWith(`old ${number}`, ''), keepMs: 0 });
      }
      await one.write(noteWith('a', 'text'));
      expect((await one.read('decision', 'a'))?.text).toBe('text');
      expect((await one.list('decision')).map(({ name }) => name)).toContain('a');
    }));
}
