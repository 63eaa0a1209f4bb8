import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { COMPILE_CACHE } from '../../../scripts/compile-cache.mjs';
import { until } from '../support/programs/until.ts';

const ROOT = join(import.meta.dirname, '../../..');
const GONE_LIMIT_MS = 120_000;

/** dash runs the script as a child process; bash is replaced by it. */
const SHELLS = ['dash', 'bash'].filter((shell) => isThere(shell));

const PROGRAMS = [
  { script: 'start', isUp: /Ctrl-C stops it/ },
  { script: 'simulator', isUp: /Ask somebody on the phone/ },
  { script: 'demo:live', isUp: /Ctrl-C stops all of it/ },
] as const;

function isThere(shell: string): boolean {
  return spawnSync(shell, ['-c', 'true']).status === 0;
}

/** The programs behind the scripts. npm itself adds lines of its own. */
const MAIN_FILES = [
  ['simulator', 'simulator/src/main.ts'],
  ['demo:live', 'scripts/demo-live.ts'],
  ['demo:web', 'scripts/demo-web.ts'],
  ['bench', 'bench/src/main.ts'],
] as const;

describe.each(MAIN_FILES)('the arguments of npm run %s', (script, file) => {
  const answer = (argument: string) =>
    spawnSync(process.execPath, [file, argument], {
      cwd: ROOT,
      encoding: 'utf8',
      timeout: 240_000,
    });

  it('--help says how it is used, and starts nothing', () => {
    const { status, stdout, stderr } = answer('--help');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Usage: /);
    expect(stdout).toContain(`npm run ${script}`);
  });

  it.each(['--port=4078', 'secret-value'])('%s is refused in one line', (argument) => {
    const { status, stdout, stderr } = answer(argument);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^[^\n]*--help[^\n]*\n$/);
    expect(stderr).not.toContain(argument);
  });
});

it('npm start --strict says what is missing, and starts nothing', () => {
  const { PATH = '', HOME = '' } = process.env;
  // Without the set-up before it.
  const args = ['start', '--ignore-scripts', '--strict', '--port=secret-value'];
  const ran = spawnSync('npm', args, { cwd: ROOT, encoding: 'utf8', env: { PATH, HOME } });
  expect(ran.status).toBe(2);
  expect(ran.stderr).toContain('write npm start -- --port\n');
  expect(ran.stderr).toContain('write npm start -- --strict\n');
  expect(ran.stderr).not.toContain('secret-value');
});

/** Runs `npm run` with only a free port, a new folder, and the shell for its scripts. */
function runScript(script: string, shell: string) {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-npm-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { PATH = '', HOME = '' } = process.env;
  const settings = { PORT: '0', DATA_DIR: join(folder, 'data'), TMPDIR: folder, LOG_LEVEL: 'warn' };
  const own = { NODE_COMPILE_CACHE: COMPILE_CACHE, npm_config_script_shell: shell };
  const env = { PATH, HOME, ...settings, ...own };
  // In its own process group, so that everything that npm starts can be found and ended.
  const npm = spawn('npm', ['run', script], { cwd: ROOT, env, detached: true });
  onTestFinished(() => void signalGroup(npm, 'SIGKILL'));
  let said = '';
  for (const stream of [npm.stdout, npm.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  }
  return { npm, said: () => said };
}

/** False when the group has no process left. */
function signalGroup({ pid = 0 }: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

/** The simulator also prints the address of its relying party, which does not run. */
const RELYING_PARTY = 'http://127.0.0.1:3000';

function originsIn(text: string): string[] {
  const found = new Set(text.match(/http:\/\/(?:127\.0\.0\.1|localhost):\d+/g) ?? []);
  found.delete(RELYING_PARTY);
  return [...found];
}

/** Whether all processes end, which on a busy machine takes longer than a service's shutdown. */
async function isAllGone(npm: ChildProcess): Promise<boolean> {
  const limit = AbortSignal.timeout(GONE_LIMIT_MS);
  await until(() => limit.aborted || !signalGroup(npm, 0));
  return !signalGroup(npm, 0);
}

async function isServed(origin: string): Promise<boolean> {
  try {
    await (await fetch(origin, { redirect: 'manual' })).text();
    return true;
  } catch {
    return false;
  }
}

async function servedOf(origins: readonly string[]): Promise<string[]> {
  const served = await Promise.all(origins.map((origin) => isServed(origin)));
  return origins.filter((_, index) => served[index]);
}

/** What a shell does with a signal is the same for each program: one tells of the second shell. */
const everyCase = SHELLS.flatMap((shell, place) =>
  PROGRAMS.slice(0, place === 0 ? PROGRAMS.length : 1).map((program) => ({ shell, ...program })),
);
const cases = atLength(everyCase, everyCase.slice(0, 1));

it('is tried under both kinds of shells', () => {
  if (SHELLS.length < 2) console.warn(`LEFT OUT: of dash and bash there is only ${SHELLS.join()}`);
  expect(SHELLS).not.toEqual([]);
});

describe.each(cases)('npm run $script under $shell', ({ script, shell, isUp }) => {
  it('ends on SIGTERM with all that it started, and frees its ports', async () => {
    const { npm, said } = runScript(script, shell);
    const ended = once(npm, 'exit');
    await until(() => isUp.test(said()) || npm.exitCode !== null);
    expect(said()).toMatch(isUp);
    const origins = originsIn(said());
    expect(origins.length).toBeGreaterThan(0);
    expect(await servedOf(origins)).toEqual(origins);

    npm.kill('SIGTERM');
    await ended;
    expect(await isAllGone(npm), 'something that npm started goes on').toBe(true);
    expect(await servedOf(origins)).toEqual([]);
  });
});
