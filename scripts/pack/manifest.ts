import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../run.mjs';
import { withoutExtension } from './compile.ts';
import type { PackedPackage } from './packages.ts';
import { addressesOf } from './repository.ts';

interface PackageFile {
  readonly version: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** What others need to know of a package.json that is made here. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface WholeManifest extends Manifest {
  readonly [member: string]: unknown;
}

/**
 * The package.json of a published package. Its libraries are those that the compiled code imports,
 * in the versions that were tested here.
 * @throws Error when a library has no version in any workspace
 */
export function manifestOf(one: PackedPackage, imported: readonly string[]): WholeManifest {
  const { name, description, keywords, node, workspace, resolved, optional, bin, nodeOnly } = one;
  const { version, license, peerDependencies, peerDependenciesMeta } = readPackage(workspace);
  // npm 10 of Node 20 can't install what has better-auth for a peer: pnpm and Yarn find it by this alone.
  const isPeer = (library: string) => peerDependenciesMeta?.[library] !== undefined;
  const libraries = [...imported, ...resolved].filter(
    (library) => !optional.includes(library) && !isPeer(library),
  );
  const isOptional = (library: string) => one.optionalLibraries?.includes(library) === true;
  const optionalLibraries = versionsOf(libraries.filter(isOptional));
  const ownVersions = Object.fromEntries(optional.map((other) => [other, version]));
  return {
    name,
    version,
    description,
    keywords,
    license,
    ...addressesOf(workspace),
    // A package with a scope is private unless it says so. Where the registry gets no proof of the
    // commit and of the build that made the file, npm publishes nothing.
    publishConfig: { access: 'public', provenance: true },
    type: 'module',
    engines: { node },
    ...binOf(bin),
    // Bundlers ask for it where a module is meant for them, if only to stop them.
    ...(nodeOnly === undefined ? {} : { sideEffects: false }),
    exports: { ...exportsOf(one), './package.json': './package.json' },
    files: Object.keys(bin).length === 0 ? ['dist'] : ['bin', 'dist'],
    dependencies: versionsOf(libraries.filter((library) => !isOptional(library))),
    ...(peerDependencies === undefined ? {} : { peerDependencies, peerDependenciesMeta }),
    ...(optional.length + Object.keys(optionalLibraries).length === 0
      ? {}
      : { optionalDependencies: { ...ownVersions, ...optionalLibraries } }),
  };
}

function binOf(bin: PackedPackage['bin']): object {
  const commands = Object.keys(bin);
  if (commands.length === 0) return {};
  return { bin: Object.fromEntries(commands.map((name) => [name, `./bin/${name}.mjs`])) };
}

function exportsOf(one: PackedPackage): Record<string, unknown> {
  const { exports, declarations, declaredAlone = [], nodeOnly } = one;
  const files = Object.entries(exports).map(([name, source]): [string, unknown] => {
    const file = `./dist/${withoutExtension(source)}`;
    const code = `${file}.js`;
    const isDeclared = declarations !== undefined || declaredAlone.includes(source);
    if (!isDeclared) return [name, code];
    const browser = name === nodeOnly ? { browser: `./dist/${NOT_FOR_BROWSERS}` } : {};
    return [name, { types: `${file}.d.ts`, ...browser, default: code }];
  });
  return Object.fromEntries(files);
}

/** The module in the place of one that only Node can run. */
export const NOT_FOR_BROWSERS = 'not-for-browsers.js';

/**
 * A bundler stops here and shows the name. With `null` in the place of this module some bundlers say
 * that the package has no such export, and others take the one for Node.
 * @param what as it is imported
 */
export function notForBrowsers(what: string): string {
  const reason = `${what.replaceAll('/', '-')}-runs-servers-so-it-is-for-tests-on-Node-and-not-for-browsers`;
  return `export * from './${reason}';\n`;
}

function versionsOf(libraries: readonly string[]): Record<string, string> {
  const known = new Map(
    WORKSPACES.flatMap((folder) => Object.entries(readPackage(folder).dependencies)),
  );
  const versions = [...new Set(libraries)].toSorted().map((library): [string, string] => {
    const version = known.get(library);
    if (version !== undefined) return [library, version];
    throw new Error(`${library} is imported, and no workspace has its version`);
  });
  return Object.fromEntries(versions);
}

/** Those whose code is published. */
const WORKSPACES = ['service', 'simulator', 'pages', 'schema', 'contract', 'client', 'kit'];

function readPackage(folder: string): PackageFile {
  const file: unknown = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  if (isPackageFile(file)) return file;
  throw new Error(`${folder}/package.json lacks a member that a published package needs`);
}

function isPackageFile(file: unknown): file is PackageFile {
  const members = ['version', 'license', 'dependencies'];
  return typeof file === 'object' && file !== null && members.every((member) => member in file);
}
