import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  develop,
  EmptyFolder,
  runIn,
  stop,
  type Developing,
} from './support/packages/installed.ts';
import { Nodes } from './support/packages/nodes.ts';
import { suiteOf } from './support/packages/npx.ts';
import { Packed } from './support/packages/packed.ts';
import { APPLICATION } from './support/packages/programs.ts';

/**
 * The packed files as somebody has them who installs them with each Node that is in use, and with its
 * npm. test/packages.test.ts tries the oldest and the newest of them in `npm test`.
 */

/** The last version of each line, and the npm that comes with it. */
const LINES = {
  20: ['20.20.2', '10.9.9'],
  22: ['22.23.5', '10.9.9'],
  24: ['24.22.3', '11.21.2'],
  26: ['26.12.1', '11.21.2'],
} as const;
const ALL = Object.keys(LINES).map(Number);
/** Those that run the service. The client runs on all. */
const OF_SERVICE = ALL.filter((major) => major >= 24);
/** The registry can be slow. */
const INSTALL_LIMIT_MS = 600_000;

let packed: Packed;
let service: Developing;
const nodes = new Nodes();
const folders = new Map(ALL.map((major) => [major, new EmptyFolder()]));
const said = new Map<number, { code: number; stderr: string }>();

function folderOf(major: number): EmptyFolder {
  const folder = folders.get(major);
  if (folder === undefined) throw new Error(`there is no Node ${major} here`);
  return folder;
}

beforeAll(async () => {
  packed = new Packed();
  await nodes.install(LINES);
  const files = ['miftah-0', 'miftah-simulator', 'miftah-client'].map((one) =>
    packed.tarballOf(one),
  );
  const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts'];
  for (const major of ALL) {
    const { path } = folderOf(major);
    said.set(major, await nodes.npm(major, path, 'install', ...flags, ...files));
  }
  service = await develop(folderOf(26), nodes.node(26));
}, INSTALL_LIMIT_MS);

afterAll(async () => {
  await stop(service);
  for (const one of [...folders.values(), nodes, packed]) one.remove();
}, INSTALL_LIMIT_MS);

describe.each(ALL)('with Node %i', (major) => {
  test('npm installs the packed files, and says which of them need a newer one', () => {
    const { code, stderr = '' } = said.get(major) ?? {};
    expect(code, stderr).toBe(0);
    const refused = [...stderr.matchAll(/package: '(@?miftah[^@]*)@/g)].map(([, name]) => name);
    const ofService = ['miftah', '@miftah/simulator'];
    expect(new Set(refused)).toEqual(new Set(OF_SERVICE.includes(major) ? [] : ofService));
  });

  test('the client signs a person in by phone, without a warning', async () => {
    const program = join(folderOf(major).path, 'application.mjs');
    writeFileSync(program, APPLICATION);
    const args = [program, service.address.baseUrl];
    expect(await runIn(folderOf(major).path, nodes.node(major), args)).toEqual({
      code: 0,
      stdout: 'authenticated mft_test_ 1\n',
      stderr: '',
    });
  });
});

describe.each(OF_SERVICE)('the service with Node %i', (major) => {
  test('starts, and signs a person in', async () => {
    const own = await develop(folderOf(major), nodes.node(major));
    const program = join(folderOf(major).path, 'own.mjs');
    writeFileSync(program, APPLICATION);
    const args = [program, own.address.baseUrl];
    const { stdout } = await runIn(folderOf(major).path, nodes.node(major), args);
    expect(stdout).toBe('authenticated mft_test_ 1\n');
    expect(await stop(own)).toBe(0);
  });

  test('signs a person in by the kit', async () => {
    const { code, stdout, stderr, left } = await suiteOf(folderOf(major), nodes.node(major));
    expect({ code, stderr, left }).toEqual({ code: 0, stderr: '', left: [] });
    expect(stdout).toMatch(/pass 1\n/);
  });
});

test.each(ALL.filter((major) => !OF_SERVICE.includes(major)))(
  'the service with Node %i says what it needs',
  async (major) => {
    const folder = folderOf(major);
    const args = [folder.bin('miftah'), '--version'];
    const { code, stderr } = await runIn(folder.path, nodes.node(major), args);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/needs Node 24.*newer Node/)]);
  },
);
