import { join } from 'node:path';
import type { Manifest } from '../pack/manifest.ts';
import { root } from '../run.mjs';
import { hasMembers, readJson } from './read-json.ts';

/** A library of another project, as the lockfile has it. */
export interface Library {
  readonly name: string;
  readonly version: string;
  /** Where it is, from the root of the repository, and from `lib/` of a release. */
  readonly path: string;
}

/** An entry of the lockfile. */
interface Locked {
  readonly version?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

const FOLDER = 'node_modules/';

/**
 * The libraries that packages need when they run, in the versions of the lockfile.
 * @param excluded names of libraries that are left out, with those that only they need
 * @throws Error for a library that the lockfile does not have, has in another version, or has in a
 *   place that a release does not have; and for one that needs a script to be installed
 */
export function librariesOf(
  packages: readonly Manifest[],
  excluded: readonly string[],
): readonly Library[] {
  const locked = readLockfile();
  const found = new Map<string, Library>();
  const waiting = packages.flatMap((one) => directOf(one, packages, locked, excluded));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    const entry = locked[path] ?? {};
    found.set(path, libraryAt(path, entry));
    waiting.push(...neededBy(path, entry, locked));
  }
  return [...found.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function readLockfile(): Readonly<Record<string, Locked>> {
  return readJson(join(root, 'package-lock.json'), isLockfile).packages;
}

interface Lockfile {
  readonly packages: Readonly<Record<string, Locked>>;
}

function isLockfile(value: unknown): value is Lockfile {
  return hasMembers(value, ['packages']);
}

function directOf(
  { name: owner, dependencies, optionalDependencies = {} }: Manifest,
  packages: readonly Manifest[],
  locked: Readonly<Record<string, Locked>>,
  excluded: readonly string[],
): string[] {
  const ours = new Set(packages.map(({ name }) => name));
  const direct = Object.entries({ ...dependencies, ...optionalDependencies });
  return direct
    .filter(([name]) => !ours.has(name) && !excluded.includes(name))
    .map(([name, version]) => {
      const path = FOLDER + name;
      if (locked[path]?.version === version) return path;
      throw new Error(`${owner} needs ${name} ${version}, and the lockfile has no such ${path}`);
    });
}

function libraryAt(path: string, { version, link, hasInstallScript }: Locked): Library {
  if (version === undefined || link === true || !path.startsWith(FOLDER)) {
    throw new Error(`${path} of the lockfile has no place in a release`);
  }
  if (hasInstallScript === true) {
    throw new Error(`${path} runs a script when it is installed, which a release does not do`);
  }
  return { name: path.slice(path.lastIndexOf(FOLDER) + FOLDER.length), version, path };
}

function neededBy(
  from: string,
  { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta }: Locked,
  locked: Readonly<Record<string, Locked>>,
): string[] {
  const peers = Object.keys(peerDependencies ?? {});
  const required = [
    ...Object.keys(dependencies ?? {}),
    ...peers.filter((name) => peerDependenciesMeta?.[name]?.optional !== true),
  ];
  const paths = required.map((name) => {
    const path = find(name, from, locked);
    if (path !== undefined) return path;
    throw new Error(`${from} needs ${name}, and the lockfile does not have it`);
  });
  const others = Object.keys(optionalDependencies ?? {}).map((name) => find(name, from, locked));
  return [...paths, ...others.filter((path) => path !== undefined)];
}

/** Node looks beside a package first, and then in each folder around it. */
function find(
  name: string,
  from: string,
  locked: Readonly<Record<string, Locked>>,
): string | undefined {
  const path = `${from === '' ? '' : `${from}/`}${FOLDER}${name}`;
  if (path in locked) return path;
  if (from === '') return undefined;
  const outer = from.lastIndexOf(`/${FOLDER}`);
  return find(name, outer === -1 ? '' : from.slice(0, outer), locked);
}
