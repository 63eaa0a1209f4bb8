// The programs that the tests of deploy/ need besides Node, by what they are for. They come from
// Debian's packages.

import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canInstall, installPackages } from './apt.mjs';
import { holdLock } from './lock.mjs';
import { machineFolders, root } from './run.mjs';
import { stage } from './stage.mjs';

/** Where Debian keeps servers, which is not on everybody's PATH. */
const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/sbin'];

/** Where Debian's packages of Python are, for Debian's Python alone. */
const DEBIAN_PYTHON = '/usr/lib/python3/dist-packages';

/**
 * What is tested by them, the programs and the paths of libraries that must be there, and the
 * packages that bring them; in `run` the only script that needs them, where that is not `npm test`.
 * @typedef {{
 *   tested: string,
 *   programs: readonly string[],
 *   libraries?: readonly string[],
 *   packages: readonly string[],
 *   run?: 'test:clients',
 * }} Tools
 * @type {Readonly<Record<string, Tools>>}
 */
export const TOOLS = {
  release: {
    tested: 'the size of a release',
    programs: ['strip'],
    packages: ['binutils'],
  },
  image: {
    tested: 'the container image',
    programs: ['buildah', 'podman', 'runc', 'strip', 'ip', 'openssl', 'nginx', 'pg_isready'],
    packages: [
      'buildah',
      'podman',
      'runc',
      'binutils',
      'iproute2',
      'openssl',
      'nginx-light',
    ].concat(['postgresql']),
  },
  systemd: {
    tested: 'the systemd unit',
    programs: ['systemd-nspawn', 'mmdebstrap', 'nsenter', 'script'],
    packages: ['systemd-container', 'mmdebstrap', 'util-linux', 'bsdutils'],
  },
  kubernetes: {
    tested: 'the base for kustomize',
    programs: ['kubectl'],
    packages: ['kubernetes-client'],
  },
  proxies: {
    tested: 'the configurations of proxies',
    programs: ['nginx', 'haproxy', 'caddy'],
    packages: ['nginx-light', 'haproxy', 'caddy'],
  },
  prometheus: {
    tested: 'the alerts',
    programs: ['prometheus', 'promtool', 'faketime'],
    packages: ['prometheus', 'faketime'],
  },
  syslog: {
    tested: 'the audit log by syslog',
    programs: ['rsyslogd', 'logrotate'],
    libraries: ['/usr/share/doc/rsyslog-openssl'],
    packages: ['rsyslog', 'rsyslog-openssl', 'logrotate'],
  },
  pooler: {
    tested: 'a connection pooler before PostgreSQL',
    programs: ['pgbouncer'],
    packages: ['pgbouncer'],
  },
  python: {
    tested: 'the back end in Python of docs/applications.md',
    programs: ['python3'],
    packages: ['python3'],
  },
  pythonClient: {
    tested: 'the package of Python, with Django and FastAPI',
    programs: ['hatchling', 'mypy'],
    libraries: [
      ...['httpx', 'pytest', 'xdist', 'django', 'fastapi', 'uvicorn'].map(
        (name) => `${DEBIAN_PYTHON}/${name}`,
      ),
      '/usr/share/doc/python3-venv',
    ],
    packages: ['python3-hatchling', 'mypy', 'python3-venv', 'python3-httpx'].concat([
      'python3-pytest',
      'python3-pytest-xdist',
      'python3-django',
      'python3-fastapi',
      'python3-uvicorn',
    ]),
    run: 'test:clients',
  },
  php: {
    tested: 'the back end in PHP of docs/applications.md',
    programs: ['php'],
    packages: ['php-cli'],
  },
  upgrade: {
    tested: 'stores of earlier releases, at the time at which they were made',
    programs: ['faketime'],
    packages: ['faketime'],
  },
  openid: {
    tested: 'OpenID clients in other languages',
    programs: ['apache2', 'ruby', 'go', 'python3', 'php'],
    libraries: [
      '/usr/lib/apache2/modules/mod_auth_openidc.so',
      `${DEBIAN_PYTHON}/authlib`,
      '/usr/share/doc/ruby-omniauth-openid-connect',
      '/usr/share/gocode/src/github.com/coreos/go-oidc',
      ...['Illuminate', 'GuzzleHttp/Client.php', 'phpseclib3'].map(
        (name) => `/usr/share/php/${name}`,
      ),
      ...['curl', 'mbstring'].map((name) => `/usr/share/doc/php-${name}`),
    ],
    packages: ['apache2', 'libapache2-mod-auth-openidc', 'ruby-omniauth-openid-connect'].concat(
      ['ruby-webrick', 'python3-authlib', 'python3-flask', 'python3-requests', 'golang-go'],
      ['golang-github-coreos-go-oidc-dev', 'golang-golang-x-oauth2-dev'],
      ['php-cli', 'php-laravel-framework', 'php-guzzlehttp-guzzle', 'php-phpseclib3'],
      ['php-curl', 'php-mbstring'],
    ),
    run: 'test:clients',
  },
};

/** Debian starts the servers that it installs, unless this file says no (101). */
const START_NOTHING = '/usr/sbin/policy-rc.d';

/**
 * @param {string} program
 * @returns {string | undefined} its path
 */
export function findTool(program) {
  const folders = [...machineFolders(), ...SYSTEM_FOLDERS];
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
}

/** @param {string} use a name in `TOOLS` */
function missingFor(use) {
  const { programs = [], libraries = [] } = TOOLS[use] ?? {};
  return [
    ...programs.filter((program) => findTool(program) === undefined),
    ...libraries.filter((path) => !existsSync(path)),
  ];
}

/**
 * Whether tests can run that need these tools. On a machine that could have installed them, the
 * tests fail instead of being left out. Elsewhere the run says what it left out.
 * @param {string} use a name in `TOOLS`
 * @throws Error when they should be there and are not
 */
export function hasTools(use) {
  const missing = missingFor(use);
  if (missing.length === 0) return true;
  const message = `${missing.join(', ')} not found: ${TOOLS[use]?.packages.join(' ')} of Debian bring them`;
  if (canInstall()) throw new Error(message);
  console.error(`\n  NOT RUN: ${TOOLS[use]?.tested ?? use}. ${message}.\n`);
  return false;
}

/** @param {'test' | 'test:clients'} script */
function packagesNeeded(script) {
  const missing = Object.entries(TOOLS).filter(
    ([use, { run = 'test' }]) => run === script && missingFor(use).length > 0,
  );
  return [...new Set(missing.flatMap(([, { packages }]) => packages))];
}

/**
 * Installs what is missing, where that is possible.
 * @param {'test' | 'test:clients'} script what is going to run
 */
export async function provideDebianTools(script) {
  if (packagesNeeded(script).length === 0 || !canInstall()) return;
  const release = await holdLock(join(root, '.cache', 'debian.lock'));
  try {
    const packages = packagesNeeded(script);
    if (packages.length === 0) return;
    const what = `getting ${packages.join(', ')} for the tests`;
    const said = await stage(what, () => install(packages));
    if (said !== undefined) console.error(said);
  } finally {
    release();
  }
}

/**
 * @param {readonly string[]} packages
 * @returns {Promise<string | undefined>} what was said when it did not work
 */
async function install(packages) {
  const isSaid = existsSync(START_NOTHING);
  if (!isSaid) writeFileSync(START_NOTHING, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    return await installPackages(packages);
  } finally {
    if (!isSaid) rmSync(START_NOTHING);
  }
}
