import { describe, expect, test } from 'vitest';
import { seededRandom } from '../seeded-random.ts';
import type { DiskOperation } from './disk-log.ts';
import { DiskModel, REMAINDERS, type Remainder } from './disk-model.ts';

const MAKE: DiskOperation = { kind: 'open', file: 'a', name: 'data', what: 'a new file' };
const FOLDER: DiskOperation = { kind: 'open', file: 'folder', name: '', what: 'a folder' };
const SYNC_NAMES: readonly DiskOperation[] = [FOLDER, { kind: 'sync', file: 'folder' }];
const SYNC: DiskOperation = { kind: 'sync', file: 'a' };
const TRIES = 200;

function write(letter: string, offset = 0, length = 1024): DiskOperation {
  return { kind: 'write', file: 'a', offset, data: Buffer.alloc(length, letter) };
}

/** What is left of the file in many cuts, each different content once; null: no such file. */
function left(
  operations: readonly DiskOperation[],
  remainder: Remainder,
  name = 'data',
): Set<string | null> {
  const disk = new DiskModel();
  for (const operation of operations) disk.apply(operation);
  const random = seededRandom(7);
  const cuts = Array.from({ length: TRIES }, () => disk.cut(remainder, random).get(name));
  return new Set(cuts.map((content) => shorten(content)));
}

/** One letter for each sector. */
function shorten(content: Buffer | undefined): string | null {
  if (content === undefined) return null;
  return content
    .toString('latin1')
    .replaceAll('\0', '.')
    .replaceAll(/(.)\1{511}/g, '$1');
}

describe('a disk after a power cut', () => {
  test.each(REMAINDERS)('has what was flushed, and its name: %s', (remainder) => {
    expect(left([MAKE, write('a'), SYNC, ...SYNC_NAMES], remainder)).toEqual(new Set(['aa']));
  });

  test('may have nothing of what was not flushed', () => {
    const operations = [MAKE, ...SYNC_NAMES, write('a'), SYNC, write('b'), write('c', 1024)];
    expect(left(operations, 'nothing')).toEqual(new Set(['aa']));
    expect(left(operations, 'everything')).toEqual(new Set(['bbcc']));
  });

  test('may have later writes without earlier ones, and parts of each', () => {
    const operations = [MAKE, ...SYNC_NAMES, write('a'), SYNC, write('b'), write('c', 1024)];
    const writes = left(operations, 'some writes');
    expect(writes).toEqual(new Set(['aa', 'bb', 'aacc', 'bbcc']));
    const sectors = left(operations, 'some sectors');
    for (const content of ['ab', 'ba.c', 'bbc']) expect(sectors).toContain(content);
    const torn = left(operations, 'a torn end');
    expect(torn).toEqual(new Set(['aa', 'ba', 'bb', 'bbc', 'bbcc']));
  });

  test('may have the length from before a file was cut off', () => {
    const cutOff: DiskOperation = { kind: 'truncate', file: 'a', length: 512 };
    const operations = [MAKE, ...SYNC_NAMES, write('a'), SYNC, cutOff];
    expect(left(operations, 'some writes')).toEqual(new Set(['aa', 'a']));
    expect(left([...operations, SYNC], 'nothing')).toEqual(new Set(['a']));
  });

  test('may have lost a flushed file whose folder was not flushed', () => {
    const operations = [MAKE, write('a'), SYNC];
    expect(left(operations, 'nothing')).toEqual(new Set([null]));
    expect(left(operations, 'some writes')).toEqual(new Set([null, 'aa']));
  });

  test('has the old file or the new one where one took the place of the other', () => {
    const operations: DiskOperation[] = [
      MAKE,
      write('a'),
      SYNC,
      ...SYNC_NAMES,
      { kind: 'open', file: 'b', name: 'draft', what: 'a new file' },
      { kind: 'write', file: 'b', offset: 0, data: Buffer.alloc(512, 'b') },
      { kind: 'sync', file: 'b' },
      { kind: 'rename', from: 'draft', to: 'data' },
    ];
    expect(left(operations, 'some writes')).toEqual(new Set(['aa', 'b']));
    expect(left([...operations, ...SYNC_NAMES], 'nothing')).toEqual(new Set(['b']));
    expect(left([...operations, ...SYNC_NAMES], 'nothing', 'draft')).toEqual(new Set([null]));
  });

  test('flushes the names of one folder alone', () => {
    const other: DiskOperation = { kind: 'open', file: 'other', name: 'sub', what: 'a folder' };
    const operations: DiskOperation[] = [
      MAKE,
      write('a'),
      SYNC,
      other,
      { kind: 'sync', file: 'other' },
    ];
    expect(left(operations, 'nothing')).toEqual(new Set([null]));
  });

  test('keeps apart two files that had one name', () => {
    const operations: DiskOperation[] = [
      MAKE,
      write('a'),
      SYNC,
      ...SYNC_NAMES,
      { kind: 'unlink', name: 'data' },
      { kind: 'open', file: 'b', name: 'data', what: 'a new file' },
      { kind: 'write', file: 'b', offset: 0, data: Buffer.alloc(512, 'b') },
      { kind: 'sync', file: 'b' },
    ];
    expect(left(operations, 'nothing')).toEqual(new Set(['aa']));
  });
});
