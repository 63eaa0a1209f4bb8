// Builds the console, if its sources have changed since the last time. Plain JavaScript, as set-up.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { holdLock } from './lock.mjs';
import { root, run } from './run.mjs';
import { stage } from './stage.mjs';

const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');

/** What the result depends on beside `src/`. The lockfile names the packages. */
const SOURCES = [
  '../package-lock.json',
  '../pages/browser/event-stream.js',
  'package.json',
  'vite.config.ts',
];

/** @param {string} workspace */
function digestOfSources(workspace) {
  const sum = createHash('sha256');
  for (const file of [...SOURCES, ...filesOf(workspace)]) {
    sum.update(`${file}\n`).update(readFileSync(join(workspace, file)));
  }
  return sum.digest('hex');
}

/** @param {string} workspace */
function filesOf(workspace) {
  return readdirSync(join(workspace, 'src'), { recursive: true })
    .map((name) => join('src', String(name)))
    .filter((file) => /\.(?:tsx?|css)$/.test(file) && !file.endsWith('.test.ts'))
    .toSorted();
}

/**
 * @param {string} stampFile
 * @param {string} digest
 */
function isBuilt(stampFile, digest) {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === digest;
}

/**
 * @param {string} node the Node that runs the build
 * @param {string} [checkout]
 * @throws Error with what the build said
 */
export async function buildConsole(node, checkout = root) {
  const workspace = join(checkout, 'console');
  const stampFile = join(workspace, 'dist', '.sources');
  if (isBuilt(stampFile, digestOfSources(workspace))) return;
  const release = await holdLock(join(checkout, '.cache', 'console.lock'));
  try {
    const digest = digestOfSources(workspace);
    // The previous holder of the lock may already have done the work.
    if (isBuilt(stampFile, digest)) return;
    // Tests set another environment, in which the compiler names the files of this machine.
    const args = [vite, 'build', workspace, '--configLoader', 'native'];
    const { code, output } = await stage('building the console', () =>
      run(node, args, { NODE_ENV: 'production' }),
    );
    if (code !== 0) throw new Error(`the console could not be built:\n${output}`);
    writeFileSync(stampFile, digest);
  } finally {
    release();
  }
}
