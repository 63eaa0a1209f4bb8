// Installs Debian's packages, where that is possible.

import { existsSync } from 'node:fs';
import process from 'node:process';
import { run } from './run.mjs';

/** Whether this machine can install packages. */
export function canInstall() {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
}

/**
 * @param {readonly string[]} packages
 * @returns {Promise<string | undefined>} why it did not work; undefined when it did
 */
export async function installPackages(packages) {
  if (!canInstall()) return 'apt-get: not root on a Debian-like machine';
  const settings = { DEBIAN_FRONTEND: 'noninteractive' };
  const update = await run('apt-get', ['update'], settings);
  const args = ['install', '-y', '--no-install-recommends', ...packages];
  const { code, output } = await run('apt-get', args, settings);
  return code === 0 ? undefined : update.output + output;
}
