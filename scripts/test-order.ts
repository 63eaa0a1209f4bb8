// In which order a run takes the test files: what takes long first, so that no worker has a long file
// left when the others have nothing more to do.

import { BaseSequencer, type TestSpecification } from 'vitest/node';
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
    return bySize.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}

/** A worker keeps the modules that it has loaded for as long as it gets files of one project. */
function placeOf({ project, moduleId }: TestSpecification): number {
  const isLong = LONG_FILES.some((file) => moduleId.endsWith(`/${file}`));
  return 2 * PROJECTS.indexOf(project.name) + (isLong ? 0 : 1);
}
