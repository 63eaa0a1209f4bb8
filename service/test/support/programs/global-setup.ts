import process from 'node:process';
import { pathToFileURL } from 'node:url';
import type { TestProject } from 'vitest/node';
import { bundlePrograms, bundleThread, threadIn } from '../../../../scripts/bundle-programs.ts';
import { BUNDLED_PROGRAMS, BUNDLED_THREAD } from '../../../../scripts/program-files.ts';

/**
 * Bundles once for all test files of a run the programs that they start, or only the thread of a
 * store where they start none.
 */
export default async function setUp({ name, vitest }: TestProject): Promise<void> {
  const thread =
    name === 'service'
      ? await bundleThread()
      : threadIn((process.env[BUNDLED_PROGRAMS] ??= await bundlePrograms()));
  // A vitest that watches would keep the thread of its start when the sources change.
  if (!vitest.config.watch) process.env[BUNDLED_THREAD] ??= pathToFileURL(thread).href;
}
