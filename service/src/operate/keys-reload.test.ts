import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../config/config.ts';
import { ServerKeyring } from '../platform/keys/server-keyring.ts';
import type { KeysAmongInstances } from '../platform/keys/server-keys.port.ts';
import { rereadKeys } from './keys-reload.ts';

const [OLD, NEW] = ['ab', 'cd'].map((byte) => byte.repeat(32)) as [string, string];
const shown = (key: Uint8Array) => (Buffer.from(key).toString('hex') === OLD ? 'old' : 'new');

/** A service with these keys in files, and what it does when they become others. */
function open(retired: string) {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-keys-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [current, others] = [join(folder, 'current'), join(folder, 'retired')];
  const write = (...texts: readonly [string, string]) => {
    writeFileSync(current, texts[0]);
    writeFileSync(others, texts[1]);
  };
  write(OLD, retired);
  const given = { SECRET_KEY_FILE: current, RETIRED_SECRET_KEYS_FILE: others };
  const { config } = loadConfig([], { ...given, DATA_DIR: folder });
  const keys = new ServerKeyring({
    current: Buffer.from(OLD, 'hex'),
    retired: config.retiredKeys.map((key) => Buffer.from(key.reveal(), 'hex')),
  });
  const steps: string[] = [];
  const note = (text: string) => void steps.push(`${text}, writes with ${shown(keys.current)}`);
  const agreed = { fails: false };
  const keysAmongInstances: KeysAmongInstances = {
    requireFit: async () => note('asks'),
    settled: async () => note('waits'),
    show: async (writes) => {
      note(`shows ${writes.map(shown).join(' and ')}`);
      if (agreed.fails) throw new Error('away');
    },
  };
  const reread = rereadKeys({ config, keys, keysAmongInstances });
  const reload = async () => reread?.().changeAmongInstances?.();
  return { write, reload, steps, keys, agreed };
}

it('a key is shown before it is written with, and the old one until its last write is done', async () => {
  const { write, reload, steps } = open(NEW);
  write(NEW, OLD);
  await reload();
  expect(steps).toEqual([
    'asks, writes with old',
    'waits, writes with old',
    'shows old, writes with old',
    'shows old and new, writes with old',
    'waits, writes with new',
    'shows new, writes with new',
  ]);
});

it('a key that others could not be shown is shown by the next reload', async () => {
  const { write, reload, steps, agreed } = open('ef'.repeat(32));
  write(OLD, NEW);
  agreed.fails = true;
  await expect(reload()).rejects.toThrow('away');
  agreed.fails = false;
  steps.length = 0;
  await reload();
  expect(steps).toEqual(['waits, writes with old', 'shows old, writes with old']);
  steps.length = 0;
  await reload();
  expect(steps).toEqual([]);
});
