import process from 'node:process';
import { bundlePrograms } from '../../../../scripts/bundle-programs.ts';
import { BUNDLED_PROGRAMS } from './program-files.ts';

/** Bundles the programs once for all test files of a run that start them. */
export default async function setUp(): Promise<void> {
  process.env[BUNDLED_PROGRAMS] ??= await bundlePrograms();
}
