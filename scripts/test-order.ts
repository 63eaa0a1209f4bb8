// In which order a run takes the test files: each kind evenly over the run, so that no worker is left
// with long files at the end, and the processors are never without work.

import { matchesGlob, relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { root } from './run.mjs';
import { TEST_PROJECTS } from './test-projects.ts';

/** What takes over twenty seconds of a run though the file is small, each before the others of its kind. */
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

/** Before the larger ones of its kind, which vitest takes first where it knows no better. */
export class EvenlyMixed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is no array's
    const bySize = await super.sort(files);
    const kinds = Map.groupBy(bySize.toSorted(longFirst), kindOf);
    const { deploy = [], fast = [], ...others } = Object.fromEntries(kinds);
    return [...deploy, ...mixed(Object.values(others)), ...fast];
  }
}

const pathOf = ({ moduleId }: TestSpecification) => relative(root, moduleId);

function longFirst(one: TestSpecification, other: TestSpecification): number {
  const [a, b] = [one, other].map((file) => Number(LONG_FILES.includes(pathOf(file))));
  return (b ?? 0) - (a ?? 0);
}

/**
 * `deploy` comes first, since it has workers of its own, and `fast` last: the shorter the last files
 * are, the nearer to each other workers end.
 */
function kindOf(file: TestSpecification): string {
  const path = pathOf(file);
  if (WAITING_FILES.includes(path)) return 'waiting';
  return (
    TEST_PROJECTS.find(({ files }) => files.some((glob) => matchesGlob(path, glob)))?.name ?? ''
  );
}

/** Each kind evenly over the whole, so that what waits and what computes are always side by side. */
function mixed<File>(kinds: readonly (readonly File[])[]): File[] {
  return kinds
    .flatMap((files) => files.map((file, index) => ({ file, at: (index + 0.5) / files.length })))
    .toSorted((one, other) => one.at - other.at)
    .map(({ file }) => file);
}
