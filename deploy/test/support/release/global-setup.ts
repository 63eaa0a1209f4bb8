import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { keptCode, RELEASES } from './built-release.ts';

/** Makes the folder for the releases of a run, which are built when a test asks for one. */
export default function setUp(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-releases-'));
  // Some tests run a release as a user who can only read it.
  chmodSync(folder, 0o755);
  process.env[RELEASES] = folder;
  const { NODE_COMPILE_CACHE } = keptCode();
  mkdirSync(NODE_COMPILE_CACHE);
  // Every user writes there.
  chmodSync(NODE_COMPILE_CACHE, 0o1777);
  return () => rmSync(folder, { recursive: true, force: true });
}
