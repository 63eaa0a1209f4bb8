import { copyFileSync, existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { holdLock } from '../../../../scripts/lock.mjs';
import { root, run } from '../../../../scripts/run.mjs';

export const KUBERNETES = join(root, 'deploy', 'kubernetes');

const lockfile = join(KUBERNETES, 'package-lock.json');
/** A copy of the lockfile that was installed. */
const installed = join(KUBERNETES, 'node_modules', '.installed-lock.json');

function isInstalled(): boolean {
  return existsSync(installed) && readFileSync(installed).equals(readFileSync(lockfile));
}

/**
 * Installs what only the sources of the manifests need. It is not in the checkout's own lockfile, so
 * `npm start` never waits for it.
 */
export async function installPackages(): Promise<void> {
  if (isInstalled()) return;
  const release = await holdLock(join(root, '.cache', 'kubernetes.lock'));
  try {
    if (isInstalled()) return;
    const { code, output } = await run('npm', ['ci', '--no-audit', '--prefix', KUBERNETES]);
    if (code !== 0) throw new Error(`npm ci in deploy/kubernetes failed:\n${output}`);
    copyFileSync(lockfile, installed);
  } finally {
    release();
  }
}

/** Every source file of the manifests, and what they are checked with. */
export function sourceFiles(): string[] {
  return globSync('*.{ts,json}', { cwd: KUBERNETES });
}
