import type { Manifest } from '../pack/manifest.ts';
import { run } from '../run.mjs';
import type { Library } from './libraries.ts';
import { hasMembers } from './read-json.ts';

/** As npm writes it; members that are not read here stay as they are. */
interface Component {
  readonly 'bom-ref': string;
  readonly [member: string]: unknown;
}

interface Dependency {
  readonly ref: string;
  readonly dependsOn: readonly string[];
}

interface Bom {
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
}

/** What a release holds. The first of the packages is the product itself. */
export interface Contents {
  readonly packages: readonly Manifest[];
  readonly libraries: readonly Library[];
  /** The version. */
  readonly node: string;
}

/**
 * The software bill of materials of a release, in the form of CycloneDX: what npm reads from the
 * lockfile, of what the release holds, and Node. The same release has the same bill, because the
 * time, the folder and the npm that made it are left out.
 * @throws Error when npm does not know a library of the release
 */
export async function billOfMaterials(contents: Contents): Promise<string> {
  // With `--omit dev`, npm also leaves out a library that a tool of the developers names as a peer.
  const args = ['sbom', '--package-lock-only', '--workspace', 'service'];
  const { code, output } = await run('npm', [...args, '--sbom-format', 'cyclonedx', '--silent']);
  if (code !== 0) throw new Error(`npm sbom failed: ${output}`);
  const fromNpm: unknown = JSON.parse(output.slice(output.indexOf('{')));
  if (!isBom(fromNpm)) throw new Error(`npm sbom gave no list: ${output}`);
  return `${JSON.stringify(billOf(fromNpm, contents), null, 2)}\n`;
}

function isBom(value: unknown): value is Bom {
  return hasMembers(value, ['components', 'dependencies']);
}

function billOf(fromNpm: Bom, { packages, libraries, node }: Contents): object {
  const [product, ...others] = packages.map(packageComponent);
  const components = [...others, ...libraryComponents(fromNpm, libraries), nodeComponent(node)];
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { lifecycles: [{ phase: 'build' }], component: product },
    components: components.toSorted((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1)),
    dependencies: dependenciesOf(fromNpm, packages, refOf('node', node), components),
  };
}

function libraryComponents({ components }: Bom, libraries: readonly Library[]): Component[] {
  const known = new Map(components.map((one) => [one['bom-ref'], one]));
  // A version that is there in two places is one component.
  const refs = new Set(libraries.map(({ name, version }) => refOf(name, version)));
  return [...refs].map((ref) => {
    const component = known.get(ref);
    if (component !== undefined) return component;
    throw new Error(`npm sbom does not list ${ref}, which the release has`);
  });
}

function packageComponent({ name, version, license }: Manifest): Component {
  return {
    'bom-ref': refOf(name, version),
    type: 'application',
    name,
    version,
    scope: 'required',
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    licenses: [{ license: { id: license } }],
  };
}

function nodeComponent(version: string): Component {
  return {
    'bom-ref': refOf('node', version),
    type: 'application',
    name: 'node',
    version,
    scope: 'required',
    description: 'The Node.js runtime in bin/.',
    purl: `pkg:generic/node@${version}`,
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
    licenses: [{ license: { id: 'MIT' } }],
  };
}

function dependenciesOf(
  { dependencies }: Bom,
  packages: readonly Manifest[],
  node: string,
  components: readonly Component[],
): Dependency[] {
  const refs = new Set(components.map((one) => one['bom-ref']));
  const libraries = dependencies.filter(({ ref }) => !packages.some((one) => ref === ownRef(one)));
  const own: Dependency[] = packages.map((one) => ({
    ref: ownRef(one),
    dependsOn: [...needsOf(one), node].toSorted(),
  }));
  const all = [...libraries, ...own, { ref: node, dependsOn: [] }];
  const unique = new Map(all.map((one) => [one.ref, one]));
  return [...unique.values()]
    .filter((one) => refs.has(one.ref) || own.includes(one))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }))
    .toSorted((a, b) => (a.ref < b.ref ? -1 : 1));
}

function needsOf({ dependencies, optionalDependencies = {} }: Manifest): string[] {
  const needs = Object.entries({ ...dependencies, ...optionalDependencies });
  return needs.map(([name, version]) => refOf(name, version));
}

const ownRef = ({ name, version }: Manifest) => refOf(name, version);
const refOf = (name: string, version: string) => `${name}@${version}`;
