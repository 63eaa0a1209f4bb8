// The cache of compiled code, which halves the processor time of a start. `npm start` uses it
// (service/start.mjs), and so does every process and thread that the tests start.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { root } from './run.mjs';

/** Not the system's folder for temporary files, where somebody else could leave code for us. */
export const COMPILE_CACHE = join(root, 'node_modules', '.cache', 'miftah');

const START_LIMIT_MS = 60_000;
const PROGRAMS = [join('service', 'start.mjs'), join('simulator', 'src', 'main.ts')];

/**
 * Fills the cache, so that the first start is as fast as later ones. A program writes it as soon as
 * it listens, with the functions that were used until then. So each program starts: after `--help`
 * alone, the functions of a start would be missing for good.
 *
 * @param {string} node the Node that will run the programs
 */
export async function fillCompileCache(node) {
  for (const program of PROGRAMS) await startAndStop(node, program);
}

/**
 * A program that does not start leaves its part of the cache empty, which costs time only. The
 * start that follows says why.
 *
 * @param {string} node
 * @param {string} program
 */
async function startAndStop(node, program) {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-compile-'));
  const { PATH = '', SystemRoot = '' } = process.env;
  const settings = { PORT: '0', DATA_DIR: join(folder, 'data'), NODE_COMPILE_CACHE: COMPILE_CACHE };
  const child = spawn(node, [program], {
    cwd: root,
    env: { PATH, SystemRoot, ...settings },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: START_LIMIT_MS,
  });
  // The first that it prints is the banner or the log line of a server that listens.
  child.stdout.once('data', () => child.kill('SIGTERM')).resume();
  await once(child, 'close').catch(() => undefined);
  rmSync(folder, { recursive: true, force: true });
}
