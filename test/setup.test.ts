import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findChromium } from '../scripts/chromium.mjs';
import { buildConsole } from '../scripts/console.mjs';
import { holdLock } from '../scripts/lock.mjs';
import { root } from '../scripts/run.mjs';
import { stage } from '../scripts/stage.mjs';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'miftah-setup-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

const SILENT_MS = 1000;
/** Three times as long as a holder may leave the lock untouched. */
const LONG_WORK_BEATS = 30;

/** Resolves when the file has been touched this many times. */
async function changesOf(file: string, count: number, onChange = () => {}): Promise<void> {
  const seen = new Set<number>();
  const look = () => {
    const mtimeMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (!seen.has(mtimeMs)) onChange();
    return seen.add(mtimeMs).size > count;
  };
  await vi.waitUntil(look, { timeout: 120_000 });
}

/**
 * From now on time passes for who waits when it is told to: on a slow machine a holder that could not
 * touch its lock would look dead.
 */
function holdTime(): (ms: number) => void {
  let at = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => at);
  return (ms) => void (at += ms);
}

describe('the lock of the set-up', () => {
  it('lets one in at a time', async () => {
    const file = join(folder, 'lock');
    const order: string[] = [];
    const release = await holdLock(file);
    const second = holdLock(file);
    void second.then(() => order.push('second in'));
    order.push('first out');
    release();
    const releaseSecond = await second;
    releaseSecond();
    expect(order).toEqual(['first out', 'second in']);
    expect(existsSync(file)).toBe(false);
  });

  const left: Readonly<Record<string, () => string>> = {
    'that was left by a program that died': () => String(spawnSync('true').pid),
    'whose process number is another program now': () => String(process.pid),
    'that is empty, since its holder died while it wrote': () => '',
    'of any other content': () => 'a letter',
  };

  it.each(Object.entries(left))('takes a lock %s', async (_, content) => {
    const file = join(folder, 'lock');
    writeFileSync(file, content());
    const release = await holdLock(file, SILENT_MS);
    release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('takes a lock once, however many wait for it', async () => {
    const file = join(folder, 'lock');
    writeFileSync(file, '');
    let inside = 0;
    let isTimeHeld = false;
    const waiters = Array.from({ length: 8 }, async () => {
      const release = await holdLock(file, SILENT_MS);
      if (!isTimeHeld) holdTime();
      isTimeHeld = true;
      inside += 1;
      expect(inside).toBe(1);
      await changesOf(file, 1);
      inside -= 1;
      release();
    });
    await Promise.all(waiters);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('leaves a lock alone whose holder takes its time', async () => {
    const file = join(folder, 'lock');
    const release = await holdLock(file, SILENT_MS);
    const pass = holdTime();
    let isIn = false;
    const second = holdLock(file, SILENT_MS).then((give) => {
      isIn = true;
      return give;
    });
    await changesOf(file, LONG_WORK_BEATS, () => pass(SILENT_MS / 10));
    expect(isIn).toBe(false);
    release();
    (await second)();
  });
});

describe('a stage of the set-up', () => {
  it('is told at once, and again while it lasts, until it has ended in whatever way', async () => {
    vi.useFakeTimers();
    const said = vi.spyOn(console, 'log').mockReturnValue();
    try {
      const work = Promise.withResolvers<string>();
      const result = stage('getting it', () => work.promise, SILENT_MS);
      expect(said.mock.calls).toEqual([['getting it...']]);
      vi.advanceTimersByTime(2 * SILENT_MS);
      expect(said.mock.calls.slice(1)).toEqual([
        ['  still getting it: 1 s'],
        ['  still getting it: 2 s'],
      ]);
      work.reject(new Error('no network'));
      await expect(result).rejects.toThrow('no network');
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
      said.mockRestore();
    }
  });
});

describe('with `ignore-scripts=true` in the configuration of a user', () => {
  it('npm still runs the set-up that comes before a command', () => {
    const file = join(folder, 'npmrc');
    writeFileSync(file, 'ignore-scripts=true\n');
    const args = ['config', 'get', 'ignore-scripts', '--userconfig', file];
    const env = { ...process.env, npm_config_ignore_scripts: undefined };
    const { stdout } = spawnSync('npm', args, { cwd: root, env, encoding: 'utf8' });
    expect(stdout.trim()).toBe('false');
  });

  it('no library is missing anything: none has a script that is run when it is installed', () => {
    const text = readFileSync(join(root, 'package-lock.json'), 'utf8');
    const { packages } = JSON.parse(text) as { packages: Record<string, object> };
    const names = Object.keys(packages);
    expect(names.length).toBeGreaterThan(100);
    expect(names.filter((name) => 'hasInstallScript' in (packages[name] ?? {}))).toEqual([]);
  });
});

describe('the search for a Chromium', () => {
  it('takes the one that the environment names', () => {
    vi.stubEnv('CHROMIUM_PATH', '/opt/chromium');
    expect(findChromium()).toBe('/opt/chromium');
  });

  it('looks on PATH', () => {
    const program = join(folder, 'google-chrome');
    writeFileSync(program, '', { mode: 0o755 });
    vi.stubEnv('CHROMIUM_PATH', '');
    vi.stubEnv('PATH', folder);
    expect(findChromium()).toBe(program);
  });

  it('takes one without windows first', () => {
    for (const name of ['chromium', 'chromium-headless-shell']) {
      writeFileSync(join(folder, name), '', { mode: 0o755 });
    }
    vi.stubEnv('CHROMIUM_PATH', '');
    vi.stubEnv('PATH', folder);
    expect(findChromium()).toBe(join(folder, 'chromium-headless-shell'));
  });
});

const inFolder = (...path: readonly string[]) => join(folder, 'console', ...path);
const build = () => buildConsole(process.execPath, folder);
const builtAt = () => statSync(inFolder('dist', 'console.js')).mtimeMs;

describe('the build of the console', () => {
  beforeEach(() => {
    const others = ['package-lock.json', 'tsconfig.json', 'pages/browser/event-stream.js'];
    for (const path of [...others, 'console/package.json']) {
      cpSync(join(root, path), join(folder, path), { recursive: true });
    }
    cpSync(join(root, 'console/vite.config.ts'), inFolder('vite.config.ts'));
    cpSync(join(root, 'console/src'), inFolder('src'), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  });

  it('makes one script and one style, and does it again only for another source', async () => {
    await build();
    expect(readdirSync(inFolder('dist')).toSorted()).toEqual([
      '.sources',
      'console.css',
      'console.js',
      'licenses.md',
    ]);
    const first = builtAt();
    await build();
    expect(builtAt()).toBe(first);
    writeFileSync(inFolder('src', 'page.test.ts'), '');
    await build();
    expect(builtAt()).toBe(first);
    writeFileSync(inFolder('src', 'style', 'list.css'), '.only { color: red }');
    await build();
    expect(builtAt()).toBeGreaterThan(first);
    expect(readFileSync(inFolder('dist', 'console.css'), 'utf8')).toContain('.only');
  });

  it('says what is wrong with a source, and tries again', async () => {
    writeFileSync(inFolder('src', 'main.tsx'), 'render(<App');
    await expect(build()).rejects.toThrow(/the console could not be built[^]*main\.tsx/);
    writeFileSync(inFolder('src', 'main.tsx'), 'document.title = "mended";');
    await build();
    expect(readFileSync(inFolder('dist', 'console.js'), 'utf8')).toContain('mended');
  });
});
