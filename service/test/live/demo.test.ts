import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { COMPILE_CACHE } from '../../../scripts/compile-cache.mjs';
import { spawnService, type ServiceProcess } from '../support/programs/service-process.ts';
import { until } from '../support/programs/until.ts';
import { recordCanaries } from '../support/canaries/run-folder.ts';
import { PersonBrowser } from '../support/live/person-browser.ts';

/** `npm run demo:live`, as a person at a terminal uses it. */

const DEMO = fileURLToPath(new URL('../../../scripts/demo-live.ts', import.meta.url));
const run = promisify(execFile);
const ENVIRONMENT = { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: COMPILE_CACHE };

function folderForTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-demo-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Demo {
  readonly demo: ServiceProcess;
  readonly printed: string;
  /** The folder of its temporary files, which it removes at its end. */
  readonly folder: string;
}

/** Starts the demo and waits until it has printed everything. */
async function startDemo(): Promise<Demo> {
  const folder = folderForTest();
  const demo = await spawnService({ main: DEMO, settings: { TMPDIR: folder } });
  // Stopped, not killed, because a killed demo would leave its programs running.
  onTestFinished(async () => void (await demo.stop()));
  await until(() => demo.stdout().includes('Ctrl-C stops') || !demo.isRunning);
  expect(demo.stderr()).toBe('');
  return { demo, printed: demo.stdout(), folder };
}

function addressOf(printed: string, name: string): string {
  const [, address = ''] =
    new RegExp(`^  ${name} +(http://[a-z0-9.]+:\\d+)`, 'm').exec(printed) ?? [];
  return address;
}

function linesOf(printed: string): string[] {
  return printed.split('\n').filter((line) => /^(?:[A-Z]+=|curl |for TRY)/.test(line));
}

async function expectGone({ printed, folder }: Pick<Demo, 'printed' | 'folder'>): Promise<void> {
  for (const name of ['Service', 'Provider', 'Application']) {
    const address = addressOf(printed, name);
    await expect(fetch(address), `${name} ${address}`).rejects.toThrow('fetch failed');
  }
  expect(readdirSync(folder)).toEqual([]);
}

/** The child processes of the demo, with their command lines. */
function childrenOf({ pid }: ServiceProcess): readonly { pid: number; command: string }[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  return children.map((child) => ({
    pid: Number(child),
    command: readFileSync(`/proc/${child}/cmdline`, 'utf8'),
  }));
}

/** Refuses at the provider. @returns the application's page */
async function refuseAt(person: PersonBrowser, application: string) {
  const begun = await person.open(application);
  const page = await person.launch(String(begun.location));
  return person.follow(await person.press(page, { person: 'amal', decision: 'refuse' }));
}

/** As they stand. */
async function signInByLines(printed: string): Promise<void> {
  const { stdout } = await run('bash', ['-c', linesOf(printed).join('\n')]);
  const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as {
    data: { token: string; user: { national_id: string } };
  };
  recordCanaries('API token', [last.data.token]);
  expect(last.data.token).toMatch(/^mft_test_/);
  expect(last.data.user.national_id).toBe('1000002201');
}

async function signInByBrowser(printed: string): Promise<void> {
  const [address = ''] = /^http:.*\/callback\?state=.*$/m.exec(printed) ?? [];
  const application = addressOf(printed, 'Application');
  const person = new PersonBrowser();
  for (const opened of [address, String((await person.open(application)).location)]) {
    const back = await person.signIn(opened, 'amal');
    expect(back.origin).toBe(application);
    const { html } = await person.open(back);
    expect(html).toContain('<h1>Amal Salem Nasser Alnamuthaji has signed in</h1>');
    expect(html).toContain('<dt>Kind of token</dt><dd>Bearer</dd>');
    expect(html).not.toMatch(/1000001101|mft_/);
    expect((await person.open(back)).html).toContain('No sign-in of this kind is waiting');
  }
  const { html: refused } = await refuseAt(person, application);
  expect(refused).toContain('<h1>Nobody has signed in</h1>\n<p>The sign-in was rejected.</p>');
}

describe('npm run demo:live', () => {
  it('prints lines and an address that sign in, stops with Ctrl-C, and leaves nothing', async () => {
    const { demo, printed, folder } = await startDemo();
    await signInByLines(printed);
    await signInByBrowser(printed);
    expect(existsSync(join(folder, readdirSync(folder)[0] ?? ''))).toBe(true);
    demo.signal('SIGINT');
    expect(await demo.exited).toEqual({ code: 0, signal: null });
    expect(demo.stderr()).toBe('');
    await expectGone({ printed, folder });
  });

  it('ends by itself with --once, and prints the addresses that it was given', async () => {
    const folder = folderForTest();
    const own = ['http://127.0.0.1:8080/return', 'https://shop.example/return'];
    const args = own.flatMap((address) => ['--return-address', address]);
    const env = { ...ENVIRONMENT, TMPDIR: folder };
    const { stdout, stderr } = await run(process.execPath, [DEMO, '--once', ...args], { env });
    expect(linesOf(stdout)).toHaveLength(6);
    expect(stdout).toContain(`\n  Returns to   ${own.join(', ')}\n`);
    expect(stderr).toBe('');
    await expectGone({ printed: stdout, folder });
  });
});

const EVERY_REFUSED = ['nowhere', 'http://shop.example/return', 'com.example.app:/return', ''];
const REFUSED = atLength(EVERY_REFUSED, EVERY_REFUSED.slice(0, 1));

describe('npm run demo:live -- --return-address', () => {
  const env = { ...ENVIRONMENT, TMPDIR: tmpdir() };

  it.each(REFUSED)(
    'names itself, and the address that no application may have: %j',
    async (address) => {
      const args = [DEMO, '--once', '--return-address', address];
      const failed = run(process.execPath, args, { env });
      await expect(failed).rejects.toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(
          /^--return-address .*: must be an https address.*\n.*\n$/,
        ) as string,
      });
      await expect(failed).rejects.toThrow(`--return-address ${address}:`);
    },
  );
});

const CHILDREN = [
  ['the service', 'start.mjs'],
  ['the simulator', 'main.ts'],
] as const;

describe('a demo that fails', () => {
  it.each(atLength(['SERVICE_PORT', 'SIMULATOR_PORT'], ['SERVICE_PORT']))(
    'starts nothing on a taken %s',
    async (name) => {
      const asked: unknown[] = [];
      const taken = createServer((socket) => void asked.push(socket));
      await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void taken.close());
      const { port } = taken.address() as AddressInfo;
      const settings = { TMPDIR: folderForTest(), [name]: String(port) };
      const demo = await spawnService({ main: DEMO, settings });
      onTestFinished(async () => void (await demo.stop()));
      expect(await demo.exited).toEqual({ code: 1, signal: null });
      const says = `127.0.0.1:${port} is taken by another program. Stop it, or set ${name}`;
      expect(demo.stderr()).toContain(`the demo has failed: ${says} to another port`);
      expect(demo.stdout()).toBe('');
      expect(asked).toEqual([]);
      expect(readdirSync(settings.TMPDIR)).toEqual([]);
    },
  );

  it.each(atLength(CHILDREN, CHILDREN.slice(0, 1)))(
    'says that %s has ended, and stops the other',
    async (name, main) => {
      const { demo, printed, folder } = await startDemo();
      const child = childrenOf(demo).find(({ command }) => command.includes(main));
      process.kill(child?.pid ?? expect.unreachable(), 'SIGKILL');
      expect(await demo.exited).toEqual({ code: 1, signal: null });
      expect(demo.stderr()).toContain(`${name} has ended (SIGKILL)`);
      await expectGone({ printed, folder });
    },
  );
});
