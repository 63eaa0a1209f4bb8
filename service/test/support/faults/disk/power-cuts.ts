import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openSqliteStore } from '../../../../src/store/index.ts';
import { findLogDamage } from '../../../../src/store/sqlite/thread/log-damage.ts';
import { KEY_FILE } from '../../../../src/platform/keys/secret-key.ts';
import { folderInMemory } from '../../in-memory.ts';
import { checkStore } from '../check-store.ts';
import { History, type KnownAttempt } from '../history.ts';
import { seededRandom, type SeededRandom } from '../seeded-random.ts';
import { factsOfFile } from '../store-facts.ts';
import type { LoggedOperation } from './disk-log.ts';
import { DiskModel, REMAINDERS, type DiskImage } from './disk-model.ts';
import type { DiskRecording } from './record-disk.ts';

/** The store itself opens each of so many images; SQLite opens all of them. */
const IMAGES_FOR_STORE = 16;
/** Of the cuts, before anything was acknowledged: the service must be able to start. */
const SHARE_BEFORE_FIRST = 0.05;
const LOG = 'miftah.db-wal';
const KEY = /^[0-9a-f]{64}\n$/;

export interface PowerCutReport {
  readonly cuts: number;
  /** Images in which something acknowledged is missing, or that can't be used. */
  readonly bad: number;
  readonly violations: readonly string[];
}

interface Cut {
  /** How many operations the disk was given before the cut. */
  readonly operations: number;
  /** The position in the log up to which answers count. */
  readonly position: number;
}

/**
 * Cuts the power of a recorded service at `count` points, and checks what the disk may have kept at
 * each.
 */
export async function cutPower(
  { operations, history }: DiskRecording,
  count: number,
  seed: number,
): Promise<PowerCutReport> {
  const random = seededRandom(seed);
  const cuts = chooseCuts(operations, history.positions, count, random);
  const replay = history.replay();
  const disk = new DiskModel();
  const violations: string[] = [];
  let bad = 0;
  let done = 0;
  for (const [number, cut] of cuts.entries()) {
    for (; done < cut.operations; done += 1) disk.apply(operationAt(operations, done));
    const known = replay.upTo(cut.position);
    const remainder = REMAINDERS[number % REMAINDERS.length] ?? 'nothing';
    const image = disk.cut(remainder, random);
    const isStoreAsked = number % IMAGES_FOR_STORE === 0 || known.length === 0;
    const found = await checkImage(image, known, isStoreAsked);
    if (found.length > 0) bad += 1;
    const where = `after ${cut.operations} operations, ${remainder} left`;
    violations.push(...found.map((fault) => `${where}: ${fault}`));
  }
  return { cuts: cuts.length, bad, violations };
}

/**
 * As the same service would have written with `synchronous=NORMAL`: the log is flushed only before
 * its pages are moved into the database file, not at each commit.
 */
export function withoutCommitFlushes({ operations, history }: DiskRecording): DiskRecording {
  const logs = new Set<string>();
  const isOfLog = operations.map(({ operation }) => {
    if (operation.kind === 'open') {
      if (operation.name.endsWith('-wal')) logs.add(operation.file);
      else logs.delete(operation.file);
    }
    return 'file' in operation && logs.has(operation.file);
  });
  const kept = operations.filter(({ operation }, place) => {
    if (operation.kind !== 'sync' || isOfLog[place] !== true) return true;
    const next = operations.findIndex(
      (one, later) => later > place && one.operation.kind === 'write',
    );
    return next !== -1 && isOfLog[next] !== true;
  });
  return { operations: kept, history };
}

/** Half of the cuts are at the moment of an answer, the others anywhere. In order. */
function chooseCuts(
  operations: readonly LoggedOperation[],
  positions: readonly number[],
  count: number,
  random: SeededRandom,
): readonly Cut[] {
  const ends = operations.map(({ end }) => end);
  const [first = 0] = positions;
  const beforeFirst = ends.findLastIndex((end) => end <= first);
  const chosen = Array.from({ length: count }, (): Cut => {
    if (random.chance(SHARE_BEFORE_FIRST)) return cutAt(ends, random.between(0, beforeFirst));
    if (random.chance(0.5)) return cutAt(ends, random.between(beforeFirst, ends.length));
    const position = random.pick(positions);
    return { operations: ends.findLastIndex((end) => end <= position) + 1, position };
  });
  return chosen.toSorted((one, other) => one.position - other.position);
}

function cutAt(ends: readonly number[], operations: number): Cut {
  return { operations, position: ends[operations - 1] ?? 0 };
}

function operationAt(operations: readonly LoggedOperation[], place: number) {
  const logged = operations[place];
  if (logged === undefined) throw new Error('a cut is behind the end of the log');
  return logged.operation;
}

/** @returns what is lost or wrong in the files that a power cut left */
async function checkImage(
  image: DiskImage,
  known: readonly KnownAttempt[],
  isStoreAsked: boolean,
): Promise<readonly string[]> {
  const folder = folderInMemory('image');
  const history = new History();
  history.attempts.push(...known);
  try {
    for (const [name, content] of image) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), content);
    }
    if (known.length > 0 && !KEY.test(image.get(KEY_FILE)?.toString() ?? '')) {
      return ['the secret key is lost'];
    }
    if (findLogDamage(join(folder, LOG)) !== null) return ['a start refuses the log'];
    if (isStoreAsked) await openAndClose(folder);
    checkStore(history, await factsOfFile(folder, false));
    return history.violations;
  } catch (error) {
    return [`the store can't be opened: ${String(error)}`];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function openAndClose(directory: string): Promise<void> {
  const store = await openSqliteStore({ directory, onPoisoned: () => undefined });
  await store.close();
}
