import { relative } from 'node:path';
import process from 'node:process';
import type { TestModule, TestProject } from 'vitest/node';
import { withoutTest } from './without-test.ts';

/** After the last test: a run fails where a planted bug names no test of a file that was run. */
export default function setUp({ vitest }: TestProject): () => Promise<void> {
  return async () => {
    const { PLANTED_BUGS } = await import('../planted-bugs.ts');
    // A file that could not be loaded, or was not reached, has no tests.
    const run = vitest.state.getTestModules().filter(({ children }) => children.size > 0);
    const tests = new Map(
      run.map((module) => [relative(vitest.config.root, module.moduleId), namesIn(module)]),
    );
    for (const { name, test } of withoutTest(PLANTED_BUGS, tests)) {
      console.error(`the planted bug "${name}" names no test of ${test.file}: ${test.name}`);
      process.exitCode = 1;
    }
  };
}

function namesIn({ children }: TestModule): string[] {
  return Array.from(children.allTests(), ({ fullName }) => fullName);
}
