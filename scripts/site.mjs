// Installs the packages of the documentation's site. They are many, and only those need them who
// build the site, so they are in site/ and not in the root's lockfile.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { holdLock } from './lock.mjs';
import { root, run } from './run.mjs';

const folder = join(root, 'site');
const stampFile = join(folder, 'node_modules', '.miftah-site');

export const SITE_HELP = `
  ----------------------------------------------------------------------
  NOT RUN: the site of the documentation. Its packages are not installed.
  Either of these mends it, with npm's registry in reach:
    - npm run site, which installs them and builds the site
    - npm test, which installs all that the tests need
  ----------------------------------------------------------------------
`;

function lockfileHash() {
  return createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
}

/** Whether the packages of the lockfile are there. */
export function findSitePackages() {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === lockfileHash();
}

/** Whether the tests of the site can run. If not, the run says what it left out. */
export function hasSitePackages() {
  if (findSitePackages()) return true;
  console.error(SITE_HELP);
  return false;
}

/**
 * Installs the packages, if they are not there; if that fails, prints what the reader can do. No
 * package may run a script of its own: none needs to.
 */
export async function provideSite() {
  if (findSitePackages()) return;
  const release = await holdLock(join(root, '.cache', 'site-packages.lock'));
  try {
    if (findSitePackages()) return;
    console.log('getting the packages of the documentation site, about half a minute...');
    const args = ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund'];
    const { code, output } = await run('npm', args);
    if (code === 0) writeFileSync(stampFile, lockfileHash());
    else console.error(output, SITE_HELP);
  } finally {
    release();
  }
}
