// In which order a run takes the test files: what takes long first, so that no worker has a long file
// left when the others have nothing more to do.

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

/** The fast tests come last: the shorter the last files are, the nearer to each other workers end. */
const PROJECTS = [
  ...TEST_PROJECTS.map(({ name }) => name).filter((name) => name !== 'fast'),
  'fast',
];

/** Before the larger ones, which vitest takes first where it knows no better. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is no array's
    const bySize = await super.sort(files);
    const placed = bySize.map((file) => ({ file, place: placeOf(file) }));
    return placed.toSorted((one, other) => one.place - other.place).map(({ file }) => file);
  }
}

/** A worker that goes on with files of the same kind has loaded most of their modules. */
function placeOf({ moduleId }: TestSpecification): number {
  const path = relative(root, moduleId);
  const own = TEST_PROJECTS.find(({ files }) => files.some((glob) => matchesGlob(path, glob)));
  return 2 * PROJECTS.indexOf(own?.name ?? '') + (LONG_FILES.includes(path) ? 0 : 1);
}
