import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../../scripts/run.mjs';

/** The part of a package.json, or of an entry of the lockfile, that is read here. */
interface PackageFile {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

export interface Installed extends PackageFile {
  /** From `lib/` of the release, as the lockfile writes it. */
  readonly path: string;
}

const MODULES = 'node_modules';

/** All packages of a release, at any depth. */
export function packagesIn(release: string): readonly Installed[] {
  return inModules(join(release, 'lib'), MODULES);
}

function inModules(lib: string, path: string): Installed[] {
  if (!existsSync(join(lib, path))) return [];
  const names = readdirSync(join(lib, path)).flatMap((name) => {
    if (!name.startsWith('@')) return [name];
    return readdirSync(join(lib, path, name)).map((inner) => join(name, inner));
  });
  return names
    .map((name) => join(path, name))
    .flatMap((one) => [
      { ...readPackage(join(lib, one, 'package.json')), path: one },
      ...inModules(lib, join(one, MODULES)),
    ]);
}

function readPackage(path: string): PackageFile {
  return JSON.parse(readFileSync(path, 'utf8')) as PackageFile;
}

/** What the lockfile has at a place, or undefined. */
export function lockedAt(path: string): PackageFile | undefined {
  const text = readFileSync(join(root, 'package-lock.json'), 'utf8');
  return (JSON.parse(text) as { packages: Record<string, PackageFile> }).packages[path];
}

/** The places at which Node finds what a package needs; `missing NAME` for what it does not find. */
export function neededBy(one: Installed, paths: ReadonlySet<string>): readonly string[] {
  const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = one;
  const peers = Object.keys(peerDependencies).filter(
    (name) => peerDependenciesMeta[name]?.optional !== true,
  );
  return [...Object.keys(dependencies), ...peers].map((name) => {
    const places = placesFrom(one.path).map((place) => join(place, MODULES, name));
    return places.find((place) => paths.has(place)) ?? `missing ${name} of ${one.path}`;
  });
}

/** Node looks in the package, and then in each folder around it. */
function placesFrom(path: string): string[] {
  const parts = path.split(`${MODULES}/`);
  return parts.map((_, index) => parts.slice(0, parts.length - index).join(`${MODULES}/`));
}
