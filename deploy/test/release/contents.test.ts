import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { hasTools } from '../../../scripts/debian.mjs';
import { copyKit } from '../../../scripts/release/contents.ts';
import { pinnedNode } from '../../../scripts/release/node.ts';
import { root } from '../../../scripts/run.mjs';
import {
  builtRelease,
  type ReleaseKind,
  BUILD_LIMIT_MS,
} from '../support/release/built-release.ts';
import { lockedAt, neededBy, packagesIn, type Installed } from '../support/release/libraries.ts';
import { filesOf, megabytesOf } from '../support/release/tree.ts';

/** What `npm run release` makes. */

beforeAll(async () => {
  await builtRelease('full');
  await builtRelease('live');
}, BUILD_LIMIT_MS);

/**
 * Some 30 % more than `lib/` had when this was written, and far below the aim of 65 and 45: a library
 * that needs many others is noticed.
 */
const MOST_MEGABYTES = { full: 25, live: 14 } as const;
const KINDS = ['full', 'live'] as const satisfies readonly ReleaseKind[];
/** What live mode is ready without. The builder of queries is in neither. */
const OPTIONAL = ['@miftah/simulator', '@scalar/fastify-api-reference'];

const nameOf = ({ name, version }: Installed) => `${name}@${version}`;

test.each(KINDS)('a release (%s) has the versions of the lockfile', async (kind) => {
  const libraries = packagesIn(await builtRelease(kind)).filter(({ path }) => !isOurs(path));
  const locked = libraries.map(({ name, path }) => {
    const { version = '', dev = false } = lockedAt(path) ?? {};
    return `${name}@${version}${dev ? ' of the developers' : ''}`;
  });
  expect(locked).toEqual(libraries.map(nameOf));
});

test.each(KINDS)('a release (%s) has all that is needed, and nothing else', async (kind) => {
  const packages = packagesIn(await builtRelease(kind));
  const paths = new Set(packages.map(({ path }) => path));
  const needed = new Set(packages.flatMap((one) => neededBy(one, paths)));
  // `miftah` itself; and what a package names as optional, which is there or not.
  const start = ['miftah', 'pg-cloudflare', ...(kind === 'full' ? OPTIONAL : [])];
  for (const name of start) needed.add(`node_modules/${name}`);
  expect([...paths].toSorted()).toEqual([...needed].toSorted());
});

test.each(KINDS)('a release (%s) is small', async (kind) => {
  const files = filesOf(await builtRelease(kind));
  const megabytes = megabytesOf(files, 'lib');
  expect(megabytes).toBeLessThan(MOST_MEGABYTES[kind]);
  expect(megabytes).toBeGreaterThan(5);
});

test.each(KINDS)('a release (%s) can be read by everybody, and run where needed', async (kind) => {
  const files = filesOf(await builtRelease(kind));
  const modesIn = (folder: string) =>
    new Set(files.filter(({ path }) => path.startsWith(`${folder}/`)).map(({ mode }) => mode));
  expect(modesIn('bin')).toEqual(new Set(['100755']));
  expect(modesIn('lib')).toEqual(new Set(['100644']));
  expect(files.filter(({ mode }) => !/^100(?:644|755)$/.test(mode))).toEqual([]);
});

/** What an operator finds in `share/deploy/`, and where it comes from. */
const KIT_FOLDERS = [
  'grafana',
  'kubernetes/manifests',
  'prometheus',
  'proxy',
  'rsyslog',
  'systemd',
] as const;

function pathsIn(folder: string): string[] {
  return filesOf(folder).map(({ path }) => path);
}

test.each(KINDS)('the kit (%s) is whole, without what its files are made with', async (kind) => {
  const kit = pathsIn(join(await builtRelease(kind), 'share', 'deploy'));
  const folders = KIT_FOLDERS.map((part) =>
    pathsIn(join(root, 'deploy', part)).map((path) => `${part}/${path}`),
  );
  expect(folders.filter((paths) => paths.length === 0)).toEqual([]);
  expect(kit.toSorted()).toEqual(['compose.yaml', ...folders.flat()].toSorted());
  expect(kit.filter((path) => /\.ts$|(?:^|\/)package/.test(path))).toEqual([]);
});

test.each(KINDS)('a release (%s) has the pages that its messages name', async (kind) => {
  const release = await builtRelease(kind);
  const paths = pathsIn(release);
  const programs = paths.filter((path) => /^(?:lib|share)\/.*\.(?:js|mjs|service)$/.test(path));
  const ours = programs.filter((path) => /miftah/.test(path));
  const named = ours.flatMap((path) =>
    [...readFileSync(join(release, path), 'utf8').matchAll(/\bdocs\/[a-z-]+\.md\b/g)].map(String),
  );
  expect(named).toContain('docs/going-live.md');
  expect(named.filter((path) => !paths.includes(path))).toEqual([]);
});

test('a release is not made of a kit that lacks a part', () => {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-kit-'));
  try {
    const deploy = join(folder, 'deploy');
    for (const part of [...KIT_FOLDERS, 'image'].filter((one) => one !== 'proxy')) {
      cpSync(join(root, 'deploy', part), join(deploy, part), { recursive: true });
    }
    expect(() => copyKit(deploy, join(folder, 'made'))).toThrow('proxy');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** These have no such file: the licence that their package.json names, which the bill repeats. */
const WITHOUT_FILE: Readonly<Record<string, string>> = {
  '@bomb.sh/tab': 'MIT',
  '@scalar/openapi-types': 'MIT',
  '@scalar/schemas': 'MIT',
  'abstract-logging': 'MIT',
  'koa-compose': 'MIT',
  'pg-types': 'MIT',
  pgpass: 'MIT',
  standardwebhooks: 'MIT',
};

test('every library keeps the file of its licence, but those eight that have none', async () => {
  const release = await builtRelease('full');
  const paths = new Set(pathsIn(release));
  const libraries = packagesIn(release).filter(({ path }) => !isOurs(path));
  const licenses = libraries.flatMap(({ path }) => licensesAt(path));
  expect(licenses.filter((path) => !paths.has(`lib/${path}`))).toEqual([]);
  const others = libraries.filter(({ path }) => licensesAt(path).length === 0);
  const named = others.map(({ name, license }) => [name, license]);
  expect(Object.fromEntries(named)).toEqual(WITHOUT_FILE);
});

test('no source is in it', async () => {
  const paths = pathsIn(await builtRelease('full'));
  expect(paths.filter((path) => /\.(?:map|[cm]?ts)$/.test(path) && !isOurs(path))).toEqual([]);
});

function licensesAt(path: string): string[] {
  const names = readdirSync(join(root, path));
  return names
    .filter((name) => /^(?:licen[cs]e|copying|notice)/i.test(name))
    .map((name) => join(path, name));
}

function isOurs(path: string): boolean {
  return /(?:^|\/)node_modules\/@?miftah(?:\/|$)/.test(path);
}

test('nothing in it names a place of the machine that made it', async () => {
  const release = await builtRelease('full');
  const texts = filesOf(release).filter(({ path }) => path !== 'bin/node');
  const naming = texts.filter(({ path }) => readFileSync(join(release, path)).includes(root));
  expect(naming.map(({ path }) => path)).toEqual([]);
});

test("the debugger's symbols of Node are left out", async () => {
  if (!hasTools('release')) return;
  const installed = statSync(join(root, pinnedNode().path, 'bin', 'node'));
  const { size } = statSync(join(await builtRelease('live'), 'bin', 'node'));
  expect(size).toBeLessThan(0.85 * installed.size);
});
