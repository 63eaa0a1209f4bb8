import type { PlantedBug } from './planted-bug.ts';

/**
 * The bugs whose test is not in its file, or is there twice. A file that was not run says nothing of
 * its tests.
 * @param tests the full names of the tests of each file that was run
 */
export function withoutTest(
  bugs: readonly PlantedBug[],
  tests: ReadonlyMap<string, readonly string[]>,
): PlantedBug[] {
  return bugs.filter(({ test: { file, name } }) => {
    const names = tests.get(file);
    return names !== undefined && names.filter((one) => one === name).length !== 1;
  });
}
