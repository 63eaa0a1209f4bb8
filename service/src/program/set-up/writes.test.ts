import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import process from 'node:process';
import { expect, it, onTestFinished, vi } from 'vitest';
import { setUpTools } from './set-up.ts';

const ANSWERS = {
  PUBLIC_URL: 'https://login.example.test',
  PROVIDER_URL: 'https://api.provider.test',
  PROVIDER_PATH_PREFIX: '/',
  PROVIDER_APP_ID: 'id',
  PROVIDER_APP_KEY: 'key',
  PROVIDER_ISSUER: 'https://provider.test',
  PROVIDER_AUDIENCE: 'https://login.example.test',
  PROVIDER_AUTHORIZE_ORIGIN: 'https://sign-in.provider.test',
  'client.id': 'bank',
  'client.name-en': 'Example Bank',
  'client.name-ar': 'مصرف المثال',
  'client.return-address': 'https://bank.example.test/return',
  'client.type': 'confidential',
};

const tools = setUpTools({
  bytes: (length) => new Uint8Array(length).fill(7),
  digits: (length) => '7'.repeat(length),
});

function emptyPlace() {
  const dir = join(mkdtempSync(join(tmpdir(), 'miftah-set-up-')), 'settings');
  onTestFinished(() => rmSync(join(dir, '..'), { recursive: true, force: true }));
  mkdirSync(dir);
  return { dir, root: '/', isRehearsal: false, hasUnit: false };
}

it('what an interrupted set-up has left is named before anything is asked', async () => {
  const place = emptyPlace();
  const draft = join(place.dir, '.miftah-init-a1b2c3');
  mkdirSync(draft);
  await expect(tools.begin(place)).rejects.toThrow(`${draft} is what an interrupted set-up has`);
});

it('the settings have full paths, from wherever the place was named', async () => {
  const place = emptyPlace();
  const near = relative(process.cwd(), place.dir);
  const places = { DATA_DIR: join(near, 'data'), AUDIT_HEAD_FILE: join(near, 'head') };
  await tools.write({ ...place, dir: near }, { ...ANSWERS, ...places });
  const settings = readFileSync(join(place.dir, 'miftah.env'), 'utf8');
  expect(settings).toContain(`\nDATA_DIR=${join(place.dir, 'data')}\n`);
  expect(settings).toContain(`\nAUDIT_HEAD_FILE=${join(place.dir, 'head')}\n`);
  expect(settings).toContain(`\nCLIENTS_FILE=${join(place.dir, 'clients.json')}\n`);
});

it('a file that somebody has written while questions were asked stays', async () => {
  const place = emptyPlace();
  const answers = { ...ANSWERS, ...(await tools.begin(place)) };
  const settings = join(place.dir, 'miftah.env');
  writeFileSync(settings, 'PORT=1\n');
  await expect(tools.write(place, answers)).rejects.toThrow(`${settings} is there already`);
  expect(readFileSync(settings, 'utf8')).toBe('PORT=1\n');
  expect(existsSync(join(place.dir, 'secrets'))).toBe(false);
});

it('signals wait while it writes, and no longer', async () => {
  const place = emptyPlace();
  const answers = { ...ANSWERS, ...(await tools.begin(place)) };
  const signals = ['SIGHUP', 'SIGINT', 'SIGTERM'];
  const listening = () => signals.map((signal) => process.listenerCount(signal));
  const before = listening();
  const on = vi.spyOn(process, 'on');
  await tools.write(place, answers);
  expect(on.mock.calls.map(([signal]) => String(signal)).toSorted()).toEqual(signals);
  expect(listening()).toEqual(before);
});
