// Finds the nginx for the tests of proxies, or gets one.

import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { holdLock } from './lock.mjs';
import { machineFolders, root, run } from './run.mjs';
import { stage } from './stage.mjs';

/** Where Debian keeps it, which is not on everybody's PATH. */
const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/local/sbin'];
const cache = join(root, '.cache', 'nginx');
const unpacked = join(cache, 'usr', 'sbin', 'nginx');

export const NGINX_HELP = `
  ----------------------------------------------------------------------
  NOT RUN: the client behind a real nginx. None was found and none could
  be had. Any one of these mends it:
    - set NGINX_BIN to an nginx program
    - put nginx on PATH
    - on Debian: npm test, with a network, unpacks Debian's package
  ----------------------------------------------------------------------
`;

/** @returns {string | undefined} the program's path; undefined when there is none */
export function findNginx() {
  const named = process.env['NGINX_BIN'];
  if (named) return named;
  const folders = [...machineFolders(), ...SYSTEM_FOLDERS];
  return [...folders.map((folder) => join(folder, 'nginx')), unpacked].find((path) =>
    existsSync(path),
  );
}

/** Gets one if there is none; if it can't, prints what the reader can do. */
export async function provideNginx() {
  if (findNginx()) return;
  const release = await holdLock(join(root, '.cache', 'nginx.lock'));
  try {
    if (findNginx()) return;
    const failure = await stage('getting an nginx for the tests', unpackFromDebian);
    if (failure !== undefined) console.error(failure, NGINX_HELP);
  } finally {
    release();
  }
}

/**
 * Unpacks the package into this checkout: to install it would also start a server.
 * @returns {Promise<string | undefined>} why it did not work; undefined when it did
 */
async function unpackFromDebian() {
  if (!existsSync('/usr/bin/apt-get')) return 'apt-get: not a Debian-like machine';
  rmSync(cache, { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  const update = process.getuid?.() === 0 ? await run('apt-get', ['update']) : { output: '' };
  const steps = 'cd "$0" && apt-get download nginx && dpkg-deb -x nginx_*.deb .';
  const { code, output } = await run('sh', ['-c', steps, cache]);
  if (code !== 0) return update.output + output;
  const started = await run(unpacked, ['-v']);
  return started.code === 0 ? undefined : `${unpacked} does not start: ${started.output}`;
}
