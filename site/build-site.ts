import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { holdLock } from '../scripts/lock.mjs';
import { findSitePackages, SITE_HELP } from '../scripts/site.mjs';
import { findBrokenLinks } from './check-links.ts';
import { root } from './content/pages.ts';
import { writeContent } from './content/write.ts';
import { emptySearchFilesIn } from './search-index.ts';

export const DEFAULT_OUT = 'site/dist';
/** Every site has this folder, and hardly anything else does. */
const MARK = 'pagefind';
/** Astro runs what it has written, so it has to be beside its packages. */
const WORK = join(root, 'site', '.build');

export type SiteOptions = {
  /** The folder that is written, from the root of the repository. */
  readonly out: string;
  /** The path of the site on its host. */
  readonly base: string;
  /** The address of the repository's files, for links to those that are no page. */
  readonly sourceUrl?: string | undefined;
};

/**
 * Builds the site and checks its links.
 * @throws Error that says what is wrong with the options, the documents or the links
 */
export async function buildSite(options: SiteOptions) {
  const { base, sourceUrl } = readAddresses(options);
  const folder = resolve(root, options.out);
  requireOwnFolder(folder);
  if (!findSitePackages()) throw new Error(SITE_HELP);
  // Two builds in one checkout would write the content of each other.
  const release = await holdLock(join(root, '.cache', 'site.lock'));
  try {
    const pages = writeContent(sourceUrl);
    rmSync(WORK, { recursive: true, force: true });
    await buildWhole(base);
    const broken = findBrokenLinks({ folder: WORK, base });
    if (broken.length > 0) {
      throw new Error(`${broken.length} links are broken:\n${broken.join('\n')}`);
    }
    rmSync(folder, { recursive: true, force: true });
    cpSync(WORK, folder, { recursive: true });
    return { folder, base, pages: pages.length };
  } finally {
    rmSync(WORK, { recursive: true, force: true });
    release();
  }
}

function readAddresses({ base, sourceUrl }: SiteOptions) {
  if (!/^\/(?:[\w.~-]+\/)*[\w.~-]*$/.test(base)) {
    throw new Error(`--base is a path such as / or /docs/, and not ${base}`);
  }
  if (sourceUrl !== undefined && !/^https?:\/\/[^\s?#]+$/.test(sourceUrl)) {
    throw new Error(`--source is an address such as https://host/path, and not ${sourceUrl}`);
  }
  return {
    base: base.endsWith('/') ? base : `${base}/`,
    sourceUrl: sourceUrl?.replace(/\/$/, ''),
  };
}

/** The folder is replaced, so it must be an earlier site, or empty. */
function requireOwnFolder(folder: string): void {
  if (!existsSync(folder)) return;
  const names = readdirSync(folder);
  if (names.length === 0 || names.includes(MARK)) return;
  throw new Error(`--out ${folder} has other files; name a folder that is new, or an earlier site`);
}

/** @throws Error when the search is not whole after three builds either */
async function buildWhole(base: string, builds = 3): Promise<void> {
  await runAstro(base);
  const empty = emptySearchFilesIn(WORK);
  if (empty.length === 0) return;
  if (builds === 1) throw new Error(`the search was not written whole: ${empty.join(', ')}`);
  await buildWhole(base, builds - 1);
}

async function runAstro(base: string): Promise<void> {
  const site = join(root, 'site');
  const astro = join(site, 'node_modules', 'astro', 'bin', 'astro.mjs');
  const args = [astro, 'build', '--force', '--root', site, '--outDir', WORK, '--base', base];
  const child = spawn(process.execPath, args, { env: environment(), stdio: 'pipe' });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  await once(child, 'close');
  if (child.exitCode !== 0) throw new Error(`the site could not be built:\n${output}`);
}

/** What Astro would take for settings of the site is left out: vitest sets most of these. */
function environment(): NodeJS.ProcessEnv {
  const left = new Set(['BASE_URL', 'DEV', 'MODE', 'NODE_ENV', 'PROD', 'SITE', 'SSR']);
  const kept = Object.entries(process.env).filter(([name]) => !left.has(name));
  return { ...Object.fromEntries(kept), ASTRO_TELEMETRY_DISABLED: '1' };
}
