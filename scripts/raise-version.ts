// `npm run raise-version -- 0.2.0` cuts a release: everything of the project gets the version, the
// changelog gets its section, and the packages are made of it; then it is committed and tagged. The
// steps before and after are in docs/upgrading.md.

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { raiseVersion } from './release/raise-version.ts';
import { root, run } from './run.mjs';

const [, , next = ''] = process.argv;
try {
  const today = new Date(Date.now()).toISOString().slice(0, 10);
  const files = raiseVersion(root, next, today);
  await requireUntouched();
  for (const [path, text] of files) writeFileSync(path, text);
  const packages = await outputOf(process.execPath, [join(root, 'scripts', 'pack.ts')]);
  await outputOf('git', ['commit', '--all', '--quiet', '--message', `chore: version ${next}`]);
  await outputOf('git', ['tag', `v${next}`]);
  console.log(`${files.size} files have version ${next}, and the tag v${next} names the commit.`);
  console.log(`Packed:\n${packages}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

/** The commit of a release has nothing else in it, and a tag is never moved. */
async function requireUntouched(): Promise<void> {
  if (!existsSync(join(root, '.git'))) throw new Error(`${root} is no checkout of git.`);
  const changed = await outputOf('git', ['status', '--porcelain']);
  if (changed !== '') throw new Error(`Commit these first, or take them away:\n${changed}`);
  const tags = await outputOf('git', ['tag', '--list', `v${next}`]);
  if (tags !== '') throw new Error(`The tag v${next} is there already.`);
}

/** @throws Error with what it said, where it fails, and how the files of before come back */
async function outputOf(command: string, args: string[]): Promise<string> {
  const { code, output } = await run(command, args);
  if (code === 0) return output.trim();
  throw new Error(`${output.trim()}\nNo tag was made. "git restore ." takes the version back.`);
}
