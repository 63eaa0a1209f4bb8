import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../scripts/run.mjs';
import { bytesForBrowser } from './support/packages/browser-bundle.ts';
import { EmptyFolder, runIn } from './support/packages/installed.ts';
import { machineNode } from './support/packages/nodes.ts';
import { Packed } from './support/packages/packed.ts';
import { CONSUMER, PAGE, SERVER, TEST } from './support/packages/programs.ts';

/** The packages before anybody installs them with npm: test/packages-installed.test.ts does. */

const MOST_CLIENT_BYTES = 5_300;
const COMPILER = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

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
    const tarball = createPackageFromTarballData(readFileSync(packed.tarballOf(name)));
    const checked = await checkPackage(tarball);
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

  test.each([
    ['client', CONSUMER],
    ['element', PAGE],
    ['testing', TEST],
  ])('have types that stand alone, for a compiler without Node: %s', async (name, program) => {
    const consumer = join(stranger.path, `${name}.mts`);
    writeFileSync(consumer, program);
    const target = [
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--lib',
      'es2023,dom,esnext.disposable',
    ];
    const strictly = ['--ignoreConfig', '--noEmit', '--strict', '--types', ''];
    const args = [COMPILER, ...strictly, ...target, consumer];
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

  test('of the element is one file that a server can hand out as it is', () => {
    const file = join(packed.folder, 'client', 'dist', 'client', 'src', 'element.js');
    expect(readFileSync(file, 'utf8')).not.toMatch(/\bimport\b/);
  });
});

test('C-24 the element can be imported where there is no document', async () => {
  const program = join(stranger.path, 'server.mjs');
  writeFileSync(program, SERVER);
  const said = await runIn(stranger.path, machineNode(), [program]);
  const stdout = 'TypeError A <miftah-wait> needs a document.\n';
  expect(said).toEqual({ code: 0, stdout, stderr: '' });
});
