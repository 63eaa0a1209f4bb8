// Builds the console, if its sources have changed since the last time. Plain JavaScript, as set-up.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { holdLock } from './lock.mjs';
import { root, run } from './run.mjs';

const workspace = join(root, 'console');
const stampFile = join(workspace, 'dist', '.sources');
const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');

/** What the result depends on, apart from the packages, which the lockfile names. */
const SOURCES = ['vite.config.ts', 'package.json'];

function digestOfSources() {
  const sum = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  for (const file of [...SOURCES, ...filesOf('src')]) {
    sum.update(`${file}\n`).update(readFileSync(join(workspace, file)));
  }
  return sum.digest('hex');
}

/** @param {string} folder */
function filesOf(folder) {
  return readdirSync(join(workspace, folder), { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((file) => /\.(?:tsx?|css)$/.test(file) && !file.endsWith('.test.ts'))
    .toSorted();
}

/** @param {string} digest */
function isBuilt(digest) {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === digest;
}

/**
 * @param {string} node the Node that runs the build
 * @throws Error with what the build said
 */
export async function buildConsole(node) {
  if (isBuilt(digestOfSources())) return;
  const release = await holdLock(join(root, '.cache', 'console.lock'));
  try {
    const digest = digestOfSources();
    // The previous holder of the lock may already have done the work.
    if (isBuilt(digest)) return;
    const { code, output } = await run(node, [
      vite,
      'build',
      workspace,
      '--configLoader',
      'native',
    ]);
    if (code !== 0) throw new Error(`the console could not be built:\n${output}`);
    writeFileSync(stampFile, digest);
  } finally {
    release();
  }
}
