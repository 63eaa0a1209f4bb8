// `npm run raise-version -- 0.2.0`: everything of the project has one version, and the changelog gets
// its section. The steps of a release are in docs/upgrading.md.

import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { root } from './run.mjs';
import { raiseVersion } from './release/raise-version.ts';

const [, , next = ''] = process.argv;
try {
  const today = new Date(Date.now()).toISOString().slice(0, 10);
  const files = raiseVersion(root, next, today);
  for (const [path, text] of files) writeFileSync(path, text);
  console.log(`${files.size} files have version ${next}. Next: npm test, npm run fixture:release,`);
  console.log(`a commit, and the tag v${next}.`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
