import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addressesOf } from '../scripts/pack/repository.ts';
import { root } from '../scripts/run.mjs';
import { bytesForBrowser } from './support/packages/browser-bundle.ts';
import {
  develop,
  EmptyFolder,
  runIn,
  stop,
  type Developing,
} from './support/packages/installed.ts';
import { machineNode } from './support/packages/nodes.ts';
import { suiteOf } from './support/packages/npx.ts';
import { Packed } from './support/packages/packed.ts';
import { APPLICATION, CONSUMER, PAGE, SERVER, TEST } from './support/packages/programs.ts';

/**
 * The packages before anybody installs them with npm, as test/packages-installed.test.ts and
 * test/packages-nodes.test.ts do. How npm publishes them: test/packages-published.test.ts.
 */

const MOST_CLIENT_BYTES = 5_300;
const COMPILER = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

/** What waits by the element in an application with React or Vue. */
const MOST_HOOK_BYTES = 1_000;

/** What the element adds to a page that has the client, and all that a page without it loads. */
const MOST_ELEMENT_BYTES = { more: 5_500, alone: 6_500 };

let packed: Packed;
/** Of somebody who has the packages, and none of the libraries that they need. */
const stranger = new EmptyFolder();

beforeAll(() => {
  packed = new Packed();
  stranger.place('@miftah/client', join(packed.folder, 'client'));
  stranger.place('miftah', join(packed.folder, 'miftah'));
});
afterAll(() => {
  for (const folder of [stranger, packed]) folder.remove();
});

const checkedTypes = new Map<string, ReturnType<typeof checkPackage>>();

/** Each package once: all ways of finding a module are in what comes out. */
function typesOf(name: string): ReturnType<typeof checkPackage> {
  const checked =
    checkedTypes.get(name) ??
    checkPackage(createPackageFromTarballData(readFileSync(packed.tarballOf(name))));
  checkedTypes.set(name, checked);
  return checked;
}

describe('the packed packages', () => {
  test.each(['miftah-0', 'miftah-simulator', 'miftah-client'])(
    '%s has no fault that publint knows',
    async (name) => {
      const tarball = Uint8Array.from(readFileSync(packed.tarballOf(name))).buffer;
      const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
      expect(messages.map((message) => formatMessage(message, pkg ?? {}))).toEqual([]);
    },
  );

  // Other ways of finding a module can't load any package of ours: all are ES modules with `exports`.
  test.each([
    ['miftah-client', '.', 'node16-esm'],
    ['miftah-client', '.', 'bundler'],
    ['miftah-0', './testing', 'node16-esm'],
    ['miftah-0', './testing', 'bundler'],
  ])('%s has types of %s that %s finds, and that are right', async (name, entry, resolution) => {
    const checked = await typesOf(name);
    if (checked.types === false) throw new Error('it has no types');
    const ours = checked.problems.filter(
      (problem) => !('resolutionKind' in problem) || problem.resolutionKind === resolution,
    );
    expect(ours).toEqual([]);
    const found = checked.entrypoints[entry]?.resolutions[resolution as 'bundler'].resolution;
    expect(found?.fileName).toMatch(/\.d\.ts$/);
  });

  test('contain no TypeScript and no test', () => {
    const files = readdirSync(packed.folder, { recursive: true }).map(String);
    expect(files.filter((file) => /(?<!\.d)\.ts$|\.test\./.test(file))).toEqual([]);
    expect(files).toContain(join('miftah', 'dist', 'service', 'src', 'cli.js'));
    // The console comes with the simulator, so an installation for live mode has none of it.
    expect(files.filter((file) => file.endsWith(join('console', 'dist', 'console.js')))).toEqual([
      join('simulator', 'dist', 'console', 'dist', 'console.js'),
    ]);
  });

  test('have types that stand alone, for a compiler without Node', async () => {
    const programs = { client: CONSUMER, element: PAGE, testing: TEST };
    const consumers = Object.entries(programs).map(([name, program]) => {
      const consumer = join(stranger.path, `${name}.mts`);
      writeFileSync(consumer, program);
      return consumer;
    });
    const target = [
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--lib',
      'es2023,dom,esnext.disposable',
    ];
    const strictly = ['--ignoreConfig', '--noEmit', '--strict', '--types', ''];
    const args = [COMPILER, ...strictly, ...target, ...consumers];
    const { code, stdout } = await runIn(stranger.path, process.execPath, args);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  });

  test('of the client has no dependency', () => {
    const manifest = readFileSync(join(packed.folder, 'client', 'package.json'), 'utf8');
    expect(JSON.parse(manifest)).toMatchObject({ dependencies: {}, engines: { node: '>=20.3' } });
  });

  test(`of the client is less than ${MOST_CLIENT_BYTES} bytes for a browser`, async () => {
    const bytes = await bytesForBrowser(stranger, "export * from '@miftah/client';");
    expect(bytes).toBeLessThan(MOST_CLIENT_BYTES);
    expect(bytes).toBeGreaterThan(1_000);
  });

  test(`C-24 of the element is less than ${MOST_ELEMENT_BYTES.more} bytes more`, async () => {
    const [client, alone, both] = await Promise.all([
      bytesForBrowser(stranger, "export * from '@miftah/client';"),
      bytesForBrowser(stranger, "export * from '@miftah/client/element';"),
      bytesForBrowser(
        stranger,
        "export * from '@miftah/client'; export * from '@miftah/client/element';",
      ),
    ]);
    expect(both - client).toBeLessThan(MOST_ELEMENT_BYTES.more);
    expect(alone).toBeLessThan(MOST_ELEMENT_BYTES.alone);
    expect(alone).toBeGreaterThan(1_000);
  });

  test.each(['react', 'vue'])(`for %s are less than ${MOST_HOOK_BYTES} bytes`, async (library) => {
    const program = `export * from '@miftah/client/${library}';`;
    const bytes = await bytesForBrowser(stranger, program, [library]);
    expect(bytes).toBeLessThan(MOST_HOOK_BYTES);
    expect(bytes).toBeGreaterThan(200);
  });

  test('of the element is one file that a server can hand out as it is', () => {
    const file = join(packed.folder, 'client', 'dist', 'client', 'src', 'element.js');
    expect(readFileSync(file, 'utf8')).not.toMatch(/\bimport\b/);
  });
});

/** Each is for an application that has it. */
const PEERS = {
  // Not better-auth: npm 10 of Node 20 can't install a package that has it for an optional peer.
  peerDependencies: { react: '>=18', vue: '>=3.3' },
  peerDependenciesMeta: expect.objectContaining({
    'better-auth': { optional: true },
    react: { optional: true },
  }) as object,
};

const NAMES = ['miftah', 'simulator', 'client'] as const;

describe('the packed files run, beside the libraries of this checkout', () => {
  const user = new EmptyFolder();
  let service: Developing;
  beforeAll(async () => {
    for (const name of NAMES) {
      const { name: full, ...needs } = manifestOf(name);
      user.place(full, join(packed.folder, name));
      for (const library of librariesOf(needs)) user.link(library, join(root, 'node_modules'));
    }
    user.linkBin('miftah', join('miftah', 'bin', 'miftah.mjs'));
    service = await develop(user, process.execPath);
  });
  afterAll(async () => {
    await stop(service);
    user.remove();
  });

  // All of them, from Node 20 on: test/packages-nodes.test.ts.
  test.each([
    ["the machine's Node", machineNode],
    ['the Node of the tests', () => process.execPath],
  ])('the client signs a person in with %s', async (_, node) => {
    const program = join(user.path, 'application.mjs');
    writeFileSync(program, APPLICATION);
    const said = await runIn(user.path, node(), [program, service.address.baseUrl]);
    expect(said).toEqual({ code: 0, stdout: 'authenticated mft_test_ 1\n', stderr: '' });
  });

  test('the kit signs a person in', async () => {
    const { code, stdout, left } = await suiteOf(user, process.execPath);
    expect({ code, left }).toEqual({ code: 0, left: [] });
    expect(stdout).toMatch(/pass 1\n/);
  });
});

interface Manifest {
  readonly name: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(packed.folder, name, 'package.json'), 'utf8')) as Manifest;
}

/** Without our own. */
function librariesOf(needs: Omit<Manifest, 'name'>): string[] {
  const names = Object.keys({ ...needs.dependencies, ...needs.optionalDependencies });
  return names.filter((name) => !name.startsWith('@miftah/'));
}

describe.each(NAMES)('what is published of %s', (name) => {
  const read = (file: string) => readFileSync(join(packed.folder, name, file), 'utf8');

  test('says all that the page of a registry shows, and how it is published', () => {
    expect(JSON.parse(read('package.json'))).toEqual({
      name: name === 'miftah' ? name : `@miftah/${name}`,
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/) as string,
      description: expect.stringMatching(/^[A-Z].+\.$/) as string,
      keywords: expect.arrayContaining(['miftah', 'authentication', 'mfa']) as string[],
      license: 'Apache-2.0',
      ...addressesOf(name === 'miftah' ? 'service' : name),
      publishConfig: { access: 'public', provenance: true },
      type: 'module',
      engines: { node: name === 'client' ? '>=20.3' : '>=24' },
      exports: expect.objectContaining({ './package.json': './package.json' }) as object,
      files: name === 'client' ? ['dist'] : ['bin', 'dist'],
      dependencies: expect.any(Object) as object,
      ...(name === 'client' ? PEERS : { bin: expect.any(Object) as object }),
      ...(name === 'miftah'
        ? { sideEffects: false, optionalDependencies: expect.any(Object) as object }
        : {}),
    });
  });

  test('has its licence, and a page without links that only a checkout has', () => {
    expect(read('LICENSE')).toBe(readFileSync(join(root, 'LICENSE'), 'utf8'));
    expect(read('README.md')).toMatch(new RegExp(`^# (?:@miftah/)?${name}\n`));
    expect(read('README.md')).not.toMatch(/\]\((?!https:)/);
  });
});

test('the licences of what the console is bundled of come with it', () => {
  const folder = join(packed.folder, 'simulator', 'dist', 'console', 'dist');
  const licences = readFileSync(join(folder, 'licenses.md'), 'utf8');
  const { devDependencies } = JSON.parse(
    readFileSync(join(root, 'console', 'package.json'), 'utf8'),
  ) as { readonly devDependencies: Readonly<Record<string, string>> };
  const bundled = Object.keys(devDependencies).filter((name) => name !== 'vite');
  expect(bundled).toContain('preact');
  for (const name of bundled) {
    const [, text = ''] = licences.split(`## ${name} - ${devDependencies[name]} (MIT)\n`);
    expect(text.split('\n## ')[0]).toContain('Permission is hereby granted');
  }
});

function rootWith(repository: unknown): string {
  const folder = mkdtempSync(join(stranger.path, 'repository-'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ repository }));
  return folder;
}

describe('the address of the sources', () => {
  test('is in each package, as npm compares it with the proof of a build', () => {
    const url = 'git+https://code.example/miftah/miftah.git';
    expect(addressesOf('client', rootWith({ type: 'git', url }))).toEqual({
      homepage: 'https://code.example/miftah/miftah#readme',
      bugs: 'https://code.example/miftah/miftah/issues',
      repository: { type: 'git', url, directory: 'client' },
    });
    expect(addressesOf('client', rootWith(undefined))).toEqual({});
  });

  test('is that of the package of Python too', () => {
    const { homepage } = addressesOf('client') as { readonly homepage?: string };
    const python = readFileSync(join(root, 'clients', 'python', 'pyproject.toml'), 'utf8');
    const [, source] = /^\[project\.urls\]\nSource = "(.+)"$/m.exec(python) ?? [];
    expect(source).toBe(homepage?.replace('#readme', ''));
  });

  test.each([
    'miftah/miftah',
    {},
    { url: 'https://code.example/miftah/miftah' },
    { url: 'git+ssh://git@code.example/miftah/miftah.git' },
    { url: 'git+https://user:secret@code.example/miftah/miftah.git' },
  ])('is refused in another form: %j', (repository) => {
    expect(() => addressesOf('client', rootWith(repository))).toThrow('git+https://HOST/OWNER');
  });
});

test('C-24 the element can be imported where there is no document', async () => {
  const program = join(stranger.path, 'server.mjs');
  writeFileSync(program, SERVER);
  const said = await runIn(stranger.path, machineNode(), [program]);
  const stdout = 'TypeError A <miftah-wait> needs a document.\n';
  expect(said).toEqual({ code: 0, stdout, stderr: '' });
});
