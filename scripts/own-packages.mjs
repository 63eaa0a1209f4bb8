// Installs the packages of a folder that has a lockfile of its own: they are many, and only those
// need them who build or test what is in that folder, so they are not in the root's lockfile.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { holdLock } from './lock.mjs';
import { root, run } from './run.mjs';
import { stage } from './stage.mjs';

/**
 * @param {{ folder: string, getting: string, help: string }} own the folder below the root, what is
 *   said while the packages are fetched, and what is said where they are not there
 */
export function ownPackages({ folder: path, getting, help }) {
  const folder = join(root, path);
  const name = basename(path);
  const stampFile = join(folder, 'node_modules', `.miftah-${name}`);

  const lockfileHash = () =>
    createHash('sha256')
      .update(readFileSync(join(folder, 'package-lock.json')))
      .digest('hex');

  /** Whether the packages of the lockfile are there. */
  const find = () => existsSync(stampFile) && readFileSync(stampFile, 'utf8') === lockfileHash();

  /** Whether tests with the packages can run. If not, the run says what it left out. */
  const has = () => {
    if (find()) return true;
    console.error(help);
    return false;
  };

  /**
   * Installs the packages, if they are not there; if that fails, prints what the reader can do. No
   * package may run a script of its own: none needs to.
   */
  const provide = async () => {
    if (find()) return;
    const release = await holdLock(join(root, '.cache', `${name}-packages.lock`));
    try {
      if (find()) return;
      const args = ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund'];
      const { code, output } = await stage(getting, () => run('npm', args));
      if (code === 0) writeFileSync(stampFile, lockfileHash());
      else console.error(output, help);
    } finally {
      release();
    }
  };

  return { find, has, provide };
}
