// Makes a checkout ready to run: installs the packages of the lockfile, including the pinned Node,
// with `--site` the packages of the documentation's site, with `--tests` those and the browsers and
// servers of the tests, with `--long` a Firefox, and with `--clients` what `npm run test:clients`
// needs besides. It is plain JavaScript without dependencies, because it runs before anything is
// installed, on whatever Node the machine has.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { provideChromium } from './chromium.mjs';
import { fillCompileCache } from './compile-cache.mjs';
import { buildConsole } from './console.mjs';
import { provideDebianTools } from './debian.mjs';
import { provideFirefox } from './firefox.mjs';
import { generators, openidClients } from './test-packages.mjs';
import { holdLock } from './lock.mjs';
import { provideNginx } from './nginx.mjs';
import { providePostgres } from './postgres.mjs';
import { root, run } from './run.mjs';
import { provideSite } from './site.mjs';
import { stage } from './stage.mjs';

const OLDEST_NODE = 20;
/** The oldest Node that runs TypeScript sources directly, for machines without a pinned Node. */
const OLDEST_NODE_WITHOUT_THE_PINNED_ONE = 24;

const modules = join(root, 'node_modules');
const stampFile = join(modules, '.miftah-setup');
const pinnedNode = join(modules, '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');

/** @param {string} file */
function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function lockfileHash() {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
}

/** Whether package.json pins a Node that exists for this system and processor. */
function isNodePinnedHere() {
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const pinned = Object.keys(readJson(join(root, 'package.json')).optionalDependencies);
  return pinned.some((name) => name.endsWith(`-${system}-${process.arch}`));
}

function hasItsNode() {
  return !isNodePinnedHere() || existsSync(pinnedNode);
}

function isSetUp() {
  if (!existsSync(stampFile) || !hasItsNode()) return false;
  return readFileSync(stampFile, 'utf8') === lockfileHash();
}

/**
 * Whether somebody ran `npm ci` by hand: npm writes a list of what it installed at the very end, so
 * if the list agrees with the lockfile no installation is needed.
 */
function isInstalledByHand() {
  const listFile = join(modules, '.package-lock.json');
  if (!existsSync(listFile) || !hasItsNode()) return false;
  const installed = readJson(listFile).packages;
  return Object.entries(readJson(join(root, 'package-lock.json')).packages)
    .filter(([path, wanted]) => path !== '' && !wanted.optional)
    .every(([path, wanted]) => !path.startsWith('node_modules/') || same(installed[path], wanted));
}

/**
 * @param {{ version?: string, link?: boolean } | undefined} installed
 * @param {{ version?: string, link?: boolean }} wanted
 */
function same(installed, wanted) {
  return installed?.version === wanted.version && installed?.link === wanted.link;
}

async function install() {
  const args = [
    'ci',
    '--ignore-scripts',
    '--include=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
  ];
  const what = 'getting the packages from npm (600 MB on the disk)';
  const result = await stage(what, () => run('npm', args));
  if (result.code === 0) return;
  console.error(result.output);
  throw new Error('`npm ci` failed; what it said stands above');
}

/** A Node that was built for another C library installs without an error but does not start. */
async function requireRunningNode() {
  if (!isNodePinnedHere()) return requireRecentNode();
  const result = await run(pinnedNode, ['--version']);
  if (result.code === 0) return;
  console.error(result.output);
  throw new Error(
    'the pinned Node does not run on this machine: on Linux it needs glibc and libatomic, which a ' +
      'small Debian gets by `apt-get install libatomic1`',
  );
}

function requireRecentNode() {
  if (nodeMajor() >= OLDEST_NODE_WITHOUT_THE_PINNED_ONE) return;
  throw new Error(
    `there is no pinned Node for ${process.platform}-${process.arch}: ` +
      `install Node ${OLDEST_NODE_WITHOUT_THE_PINNED_ONE} or newer (this is ${process.version})`,
  );
}

function nodeMajor() {
  return Number(process.versions.node.split('.')[0]);
}

async function setUpModules() {
  if (isSetUp()) return;
  console.log('setting up, once: a minute, or several where the network or the machine is slow');
  const release = await holdLock(join(root, '.cache', 'setup.lock'));
  try {
    // The previous holder of the lock may already have done the work.
    if (isSetUp()) return;
    if (!isInstalledByHand()) await install();
    await requireRunningNode();
    if (isNodePinnedHere()) {
      await stage('preparing the programs for a fast start', () => fillCompileCache(pinnedNode));
    }
    writeFileSync(stampFile, lockfileHash());
  } finally {
    release();
  }
}

async function main() {
  if (nodeMajor() < OLDEST_NODE) {
    throw new Error(`Miftah needs Node ${OLDEST_NODE} or newer; this is ${process.version}`);
  }
  const isForTests = process.argv.includes('--tests');
  // They have lockfiles of their own, and npm waits for the network most of the time.
  await Promise.all([
    setUpCheckout(),
    isForTests || process.argv.includes('--site') ? provideSite() : undefined,
    isForTests ? generators.provide() : undefined,
    isForTests ? openidClients.provide() : undefined,
  ]);
  if (isForTests) await provideTools();
  // A script of npm goes on with the program itself, which says more.
  if (process.env['npm_lifecycle_event'] === undefined) {
    console.log(`set up: \`npm ${isForTests ? 'test' : 'start'}\` is next`);
  }
}

async function setUpCheckout() {
  await setUpModules();
  await buildConsole(isNodePinnedHere() ? pinnedNode : process.execPath);
}

/** One after the other, since apt installs for one at a time. */
async function provideTools() {
  await provideChromium();
  if (process.argv.includes('--long')) await provideFirefox();
  await providePostgres();
  await provideNginx();
  await provideDebianTools(process.argv.includes('--clients') ? 'test:clients' : 'test');
}

try {
  await main();
} catch (error) {
  console.error(`set-up failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
