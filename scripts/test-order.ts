// In which order a run takes the test files: what takes long first, so that no worker has a long file
// left when the others have nothing more to do, and what mostly waits one at a time.

import { matchesGlob, relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { root } from './run.mjs';
import { TEST_PROJECTS } from './test-projects.ts';

/** What takes over twenty seconds of a run in the project before the last, and the longest of the last. */
export const LONG_FILES: readonly string[] = [
  'service/test/store/conformance.test.ts',
  'service/test/store/postgres/conformance.test.ts',
  'service/test/provider/against.test.ts',
  'service/test/store/postgres/batch-faults.test.ts',
  'service/test/store/postgres/migrations.test.ts',
  'service/test/store/postgres/coordination.test.ts',
  'service/test/provider/outcomes.test.ts',
  'service/test/store/audit.test.ts',
  'service/test/store/postgres/differential.test.ts',
  'test/house.test.ts',
];

/**
 * What takes over ten seconds, and most of them without a processor: for locks and sessions of a
 * database, for kills, for the pauses of a service. Several at once would leave the processors idle.
 */
export const WAITING_FILES: readonly string[] = [
  'service/test/threats/presence.test.ts',
  'service/test/e2e/postgres-keys.test.ts',
  'service/test/live/keys-again.test.ts',
  'service/test/e2e/webhooks-kills.test.ts',
  'service/test/threats/held-locks.test.ts',
  'service/test/store/postgres/presence.test.ts',
  'service/test/e2e/stop.test.ts',
  'service/test/threats/moved-stores.test.ts',
  'service/test/e2e/postgres-failover.test.ts',
  'kit/test/coach.test.ts',
];

/** The fast tests come last: the shorter the last files are, the nearer to each other workers end. */
const PROJECTS = [
  ...TEST_PROJECTS.map(({ name }) => name).filter((name) => name !== 'fast'),
  'fast',
];

/**
 * How many seconds a file takes by its project, so that one which waits comes about as often in each
 * part of a run. Not beside those of `deploy`, which have workers of their own.
 */
const SECONDS: Readonly<Record<string, number>> = { browser: 15, programs: 8, service: 4 };

/** Before the larger ones, which vitest takes first where it knows no better. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is no array's
    const bySize = await super.sort(files);
    const placed = bySize.map((file) => ({ file, ...placeOf(file) }));
    const waiting = placed
      .filter(({ waits }) => waits >= 0)
      .toSorted((one, other) => one.waits - other.waits);
    const others = placed
      .filter(({ waits }) => waits < 0)
      .toSorted((one, other) => one.place - other.place);
    return spread(others, waiting).map(({ file }) => file);
  }
}

interface Placed {
  readonly seconds: number;
}

/** Puts those of the second list evenly between those of the first. */
function spread<Item extends Placed>(list: readonly Item[], between: readonly Item[]): Item[] {
  const all = list.reduce((sum, { seconds }) => sum + seconds, 0);
  const left = [...between];
  let past = 0;
  const mixed = list.flatMap((item) => {
    past += item.seconds;
    const due = Math.ceil((past / all) * between.length) - (between.length - left.length);
    return item.seconds === 0 ? [item] : [...left.splice(0, due), item];
  });
  return [...mixed, ...left];
}

/** A worker that goes on with files of the same kind has loaded most of their modules. */
function placeOf({ moduleId }: TestSpecification) {
  const path = relative(root, moduleId);
  const { name = '' } =
    TEST_PROJECTS.find(({ files }) => files.some((glob) => matchesGlob(path, glob))) ?? {};
  const place = 2 * PROJECTS.indexOf(name) + (LONG_FILES.includes(path) ? 0 : 1);
  return { place, seconds: SECONDS[name] ?? 0, waits: WAITING_FILES.indexOf(path) };
}
