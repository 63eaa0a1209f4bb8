import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { root } from '../scripts/run.mjs';
import { bytesForBrowser } from './support/packages/browser-bundle.ts';
import { EXAMPLES, runExample } from './support/packages/examples.ts';
import { develop, EmptyFolder, runIn, stop } from './support/packages/installed.ts';
import { machineNode, nodePackage } from './support/packages/nodes.ts';
import { startByNpx, suiteOf } from './support/packages/npx.ts';
import { Packed } from './support/packages/packed.ts';
import { APPLICATION } from './support/packages/programs.ts';

/** The packages as somebody has them who installs them with npm. */

/** The oldest Node that the packages are for; the other one is that of the tests. */
const OLDEST_NODE = '24.21.0';
const MOST_MEGABYTES = { all: 65, live: 45 } as const;
/** The registry can be slow. */
const INSTALL_LIMIT_MS = 600_000;

let packed: Packed;
const stranger = new EmptyFolder();
const live = new EmptyFolder();
const nodes = new EmptyFolder();

beforeAll(async () => {
  packed = new Packed();
  await Promise.all([
    installAsReadme(stranger),
    live.install(
      [packed.tarballOf('miftah-0'), packed.tarballOf('miftah-client')],
      '--ignore-scripts',
      '--omit=optional',
    ),
    nodes.install([`${nodePackage()}@${OLDEST_NODE}`], '--ignore-scripts'),
  ]);
}, INSTALL_LIMIT_MS);

afterAll(() => {
  for (const folder of [stranger, live, nodes, packed]) folder.remove();
}, INSTALL_LIMIT_MS);

/** What the lines of a document for tests give to `npm install`, with the packages of this run. */
function linesOf(document: string): readonly (readonly string[])[] {
  const text = readFileSync(join(root, document), 'utf8');
  const [, lines = ''] = /```sh\n((?:npm install .*miftah.*\n){2,})```/.exec(text) ?? [];
  return lines
    .trim()
    .split('\n')
    .map((line) => line.replaceAll('../miftah/dist', packed.folder).split(' ').slice(2));
}

async function installAsReadme(folder: EmptyFolder): Promise<void> {
  for (const line of linesOf('README.md')) await folder.install(line, '--ignore-scripts');
}

const readOf = (name: string) => readFileSync(join(stranger.path, name), 'utf8');

function oldestNode(): string {
  return join(nodes.path, 'node_modules', nodePackage(), 'bin', 'node');
}

/** Posts JSON. @returns the text of the answer */
async function post(address: string, body: object): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
  return answer.text();
}

function memberOf(answer: string, name: string): string | undefined {
  return new RegExp(`"${name}":"([^"]+)"`).exec(answer)?.[1];
}

describe('the installed packages', () => {
  test.each([
    ['all', stranger],
    ['live', live],
  ] as const)('are installed with few MB, without a Node: %s', (what, folder) => {
    const megabytes = folder.installedMegabytes();
    expect(megabytes).toBeLessThan(MOST_MEGABYTES[what]);
    expect(megabytes).toBeGreaterThan(5);
  });

  test('say on an older Node what they need', async () => {
    const { stdout: version } = await runIn(stranger.path, machineNode(), ['--version']);
    const { code, stderr } = await runIn(stranger.path, machineNode(), [
      stranger.bin('miftah'),
      '--version',
    ]);
    const isOld = Number(version.slice(1).split('.')[0]) < 24;
    expect({ code, says: /needs Node 24.*: install a newer Node/.test(stderr) }).toEqual({
      code: isOld ? 1 : 0,
      says: isOld,
    });
  });
});

describe.each([
  ['the oldest Node', oldestNode],
  ['the Node of the tests', () => process.execPath],
])('with %s', (_, node) => {
  test('`miftah dev` signs a person in, and leaves nothing behind', async () => {
    const service = await develop(stranger, node());
    const { baseUrl, url } = service.address;
    const started = await post(`${baseUrl}/start`, { locale: 'en' });
    const attempt = memberOf(started, 'attempt_id');
    await post(`${baseUrl}/callback`, { state: attempt, auto_complete: true });
    const proof = { attempt_token: memberOf(started, 'attempt_token') };
    const issued = await post(`${baseUrl}/token/${attempt}`, proof);
    expect(memberOf(issued, 'token')).toMatch(/^mft_test_/);
    // Styles, fonts and scripts are read from files beside the code.
    expect(await (await fetch(`${url}/`)).text()).toContain('مفتاح');
    const [script] =
      /\/assets\/console-\w+\.js/.exec(await (await fetch(`${url}/console`)).text()) ?? [];
    expect((await fetch(`${url}${script}`)).status).toBe(200);
    expect(await stop(service)).toBe(0);
    expect(existsSync(service.folder)).toBe(false);
  });
});

describe.each(['start', 'dev'])('`npx miftah %s`', (command) => {
  test('ends with npx', async () => {
    const { address, closed, child } = await startByNpx(stranger, oldestNode(), command);
    expect((await fetch(`${address}/livez`)).status).toBe(200);
    child.kill();
    await closed;
    await expect(fetch(address)).rejects.toThrow('fetch failed');
  });

  test('lists its settings with --help, and says how it is called', async () => {
    const args = [stranger.bin('miftah'), command, '--help'];
    const { code, stdout } = await runIn(stranger.path, oldestNode(), args);
    expect(code).toBe(0);
    expect(stdout).toContain(`Usage: miftah ${command} `);
    const isDev = command === 'dev';
    expect([stdout.includes('--json'), stdout.includes('deleted')]).toEqual([isDev, isDev]);
    expect([stdout.includes('DATA_DIR'), stdout.includes('PROVIDER_URL')]).toEqual([
      !isDev,
      !isDev,
    ]);
  });
});

test("the README's lines leave the client where an application without its tests has it", () => {
  const { dependencies, devDependencies } = needsOf(stranger.path);
  expect(Object.keys(dependencies)).toEqual(['@miftah/client']);
  expect(Object.keys(devDependencies)).toEqual(['@miftah/simulator', 'miftah']);
  const { packages } = JSON.parse(readOf('package-lock.json')) as {
    packages: Record<string, object>;
  };
  expect(packages['node_modules/@miftah/client']).not.toHaveProperty('dev');
});

test('docs/testing-your-app.md has the same lines as the README', () => {
  expect(linesOf('docs/testing-your-app.md')).toEqual(linesOf('README.md'));
});

const exampleFolder = (name: string) => join(root, 'examples', 'testing', name);
const needsOf = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<
    'dependencies' | 'devDependencies',
    Record<string, string>
  >;

test('its first line alone installs all three packages in a copy of an example', async () => {
  const copy = new EmptyFolder();
  onTestFinished(() => copy.remove());
  copyFileSync(join(exampleFolder('node-test'), 'package.json'), join(copy.path, 'package.json'));
  const [line = []] = linesOf('README.md');
  await copy.install(line, '--ignore-scripts', '--package-lock-only');
  for (const own of ['miftah', '@miftah/client', '@miftah/simulator']) {
    expect(needsOf(copy.path).devDependencies[own]).toMatch(/^file:.*\.tgz$/);
  }
});

test.each([
  ['vitest', 'vitest'],
  ['playwright', 'playwright-core'],
])('examples/testing/%s names the packages that this one does, and %s', (name, library) => {
  const { dependencies, devDependencies } = needsOf(exampleFolder('node-test'));
  const all = { ...devDependencies, [library]: expect.stringMatching(/^\^\d/) as string };
  expect(needsOf(exampleFolder(name))).toMatchObject({ dependencies, devDependencies: all });
  expect(Object.keys(needsOf(exampleFolder(name)).devDependencies)).toHaveLength(2);
});

test("the README's lines for the tests of others run with the packages", async () => {
  const { code, stdout, stderr, left } = await suiteOf(stranger, oldestNode());
  expect({ code, stderr, left }).toEqual({ code: 0, stderr: '', left: [] });
  expect(stdout).toMatch(/pass 1\n/);
});

test.each(EXAMPLES)('examples/testing/$name passes, ends, leaves nothing', async (example) => {
  const node = example.name === 'node-test' ? oldestNode() : process.execPath;
  const { code, stdout, stderr, left } = await runExample(stranger, example, node);
  expect({ code, left, stdout: code === 0 ? '' : stdout + stderr }).toEqual({
    code: 0,
    left: [],
    stdout: '',
  });
  expect(stdout + stderr).toMatch(example.tests);
});

test('a bundle for browsers with miftah/testing is not made, and the reason is said', async () => {
  const bundled = bytesForBrowser(stranger, "export { startMiftah } from 'miftah/testing';");
  await expect(bundled).rejects.toThrow(
    /runs-servers-so-it-is-for-tests-on-Node-and-not-for-brows/,
  );
});

describe('beside one service, installed with it', () => {
  let service: Awaited<ReturnType<typeof develop>>;
  beforeAll(async () => void (service = await develop(stranger, oldestNode())));
  afterAll(async () => void (await stop(service)));

  test.each([
    ["the machine's Node", machineNode],
    ['the oldest Node of the service', oldestNode],
    ['the Node of the tests', () => process.execPath],
  ])('the client with %s signs a person in by phone, without a warning', async (_, node) => {
    const program = join(stranger.path, 'application.mjs');
    writeFileSync(program, APPLICATION);
    const said = await runIn(stranger.path, node(), [program, service.address.baseUrl]);
    expect(said).toEqual({ code: 0, stdout: 'authenticated mft_test_ 1\n', stderr: '' });
  });

  test("the README's login runs as it stands, beside the installed client", async () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    writeFileSync(join(stranger.path, 'login.mjs'), /```js\n([^]*?)```/.exec(readme)?.[1] ?? '');
    const settings = { MIFTAH_URL: service.address.baseUrl };
    const said = await runIn(stranger.path, machineNode(), ['login.mjs'], settings);
    expect(said).toMatchObject({ code: 0, stderr: '' });
    expect(said.stdout).toMatch(/^Choose \d+ on your phone\nWelcome, .+\n$/);
  });
});

describe('an installation for live mode', () => {
  test('has no simulator, and says so in simulator mode', async () => {
    expect(existsSync(join(live.path, 'node_modules', '@miftah', 'simulator'))).toBe(false);
    const { code, stderr } = await runIn(live.path, oldestNode(), [live.bin('miftah'), 'dev']);
    expect(code).toBe(1);
    expect(stderr).toContain('npm install @miftah/simulator');
  });

  test('has no reader of the API, and no builder of queries', () => {
    const names = readdirSync(join(live.path, 'node_modules'));
    expect(names).toContain('fastify');
    expect(names.filter((name) => /^(?:@scalar|kysely)$/.test(name))).toEqual([]);
  });

  test('has no file of the simulator, its people, its control API or the console', () => {
    const modules = join(live.path, 'node_modules');
    expect(readdirSync(join(modules, '@miftah')).toSorted()).toEqual(['client']);
    const files = readdirSync(join(modules, 'miftah'), { recursive: true }).map(String);
    expect(files).toContain(join('dist', 'service', 'src', 'program', 'live-mode.js'));
    const foreign = /^dist\/(?:simulator|console)\/|people\.json$|\/control\//;
    expect(files.filter((file) => foreign.test(file))).toEqual([]);
  });

  test('compares no provider with a simulator that it does not have', async () => {
    const args = [live.bin('miftah'), 'doctor', '--against', 'https://provider.invalid'];
    const settings = { PROVIDER_PATH_PREFIX: '/', PROVIDER_APP_ID: 'a', PROVIDER_APP_KEY: 'b' };
    const { code, stderr } = await runIn(live.path, oldestNode(), args, settings);
    expect(code).toBe(2);
    expect(stderr).toContain('npm install @miftah/simulator');
  });

  test('has the commands of the operator', async () => {
    const args = [live.bin('miftah'), 'client', 'key'];
    const { code, stdout } = await runIn(live.path, oldestNode(), args);
    expect({ code, isKey: stdout.includes('mfk_') }).toEqual({ code: 0, isKey: true });
  });
});
