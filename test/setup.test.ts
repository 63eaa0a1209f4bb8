import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findChromium } from '../scripts/chromium.mjs';
import { holdLock } from '../scripts/lock.mjs';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'miftah-setup-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

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

  it('does not outlive a holder that died', async () => {
    const file = join(folder, 'lock');
    const { pid } = spawnSync(process.execPath, ['--version']);
    writeFileSync(file, String(pid));
    const release = await holdLock(file);
    release();
    expect(existsSync(file)).toBe(false);
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
});
