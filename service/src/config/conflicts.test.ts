import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LIVE_SETTINGS } from '../../test/support/live/live-settings.ts';
import { ConfigError, loadConfig } from './config.ts';

const KEY = 'ab'.repeat(32);
const OTHER_KEY = 'cd'.repeat(32);

function faultsOf(
  settings: Record<string, string>,
  args: readonly string[] = [],
): readonly string[] {
  try {
    loadConfig(args, settings);
    return [];
  } catch (error) {
    return error instanceof ConfigError ? error.faults : [String(error)];
  }
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'miftah-conflicts-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const headFaults = (DATA_DIR: string, AUDIT_HEAD_FILE: string, more = {}) =>
  faultsOf({ DATA_DIR, AUDIT_HEAD_FILE, ...more });

describe('AUDIT_HEAD_FILE', () => {
  it.each([
    ['./data', './data/head'],
    ['./data', 'data/further/head'],
    ['/var/lib/miftah', '/var/lib/miftah/../miftah/head'],
    ['/var/lib/miftah', '/var/lib/miftah/..head'],
    ['/', '/head'],
  ])('is refused in DATA_DIR %s: %s', (dataDir, head) => {
    expect(headFaults(dataDir, head)).toEqual([
      'AUDIT_HEAD_FILE is in DATA_DIR, and an older copy of that folder would bring its older head ' +
        'with it: set it to a file elsewhere, better on another disk',
    ]);
  });

  it('is refused there behind a link, too', () => {
    const place = folder();
    mkdirSync(join(place, 'data'));
    symlinkSync(join(place, 'data'), join(place, 'link'));
    expect(headFaults(join(place, 'data'), join(place, 'link', 'head'))).toHaveLength(1);
    expect(headFaults(join(place, 'link'), join(place, 'data', 'head'))).toHaveLength(1);
  });

  it.each([
    ['./data', './head'],
    ['/var/lib/miftah', '/var/lib/miftah-head/head'],
    ['/var/lib/miftah/data', '/var/lib/miftah/head'],
  ])('is taken beside DATA_DIR %s: %s', (dataDir, head) => {
    expect(headFaults(dataDir, head)).toEqual([]);
  });

  it('is taken in DATA_DIR where the store is a database', () => {
    const more = { DATABASE_URL: 'postgres://miftah@127.0.0.1/miftah', SECRET_KEY: KEY };
    expect(headFaults('./data', './data/head', more)).toEqual([]);
  });
});

describe('DATABASE_URL without SECRET_KEY', () => {
  const DATABASE_URL = 'postgres://miftah@127.0.0.1/miftah';
  const required = 'SECRET_KEY is required with DATABASE_URL: all instances need the same key';

  it('is refused, and the key of the store in DATA_DIR is named', () => {
    const DATA_DIR = folder();
    expect(faultsOf({ DATA_DIR, DATABASE_URL })).toEqual([required]);
    const file = join(DATA_DIR, 'secret.key');
    writeFileSync(file, KEY);
    expect(faultsOf({ DATA_DIR, DATABASE_URL })).toEqual([
      `${required}. That of the store in DATA_DIR is SECRET_KEY_FILE=${file}`,
    ]);
    expect(faultsOf({ DATA_DIR, DATABASE_URL, SECRET_KEY_FILE: file })).toEqual([]);
  });
});

const same = (one: string, other: string) =>
  `${one} and ${other} name the same file: each needs its own`;

describe('one file for two settings', () => {
  it('is refused', () => {
    const place = folder();
    const file = join(place, 'file');
    writeFileSync(file, KEY);
    const [head, clients, key] = ['AUDIT_HEAD_FILE', 'CLIENTS_FILE', 'SECRET_KEY_FILE'];
    const all = { AUDIT_HEAD_FILE: file, CLIENTS_FILE: file, SECRET_KEY_FILE: file };
    expect(faultsOf(all)).toEqual([same(head, clients), same(head, key), same(clients, key)]);
    writeFileSync(file, `CLIENTS_FILE=${file}\n`);
    expect(faultsOf({}, ['--config', file])).toEqual([same(clients, '--config')]);
  });
});

describe('one value for two secrets', () => {
  it.each([
    [{ RETIRED_SECRET_KEYS: KEY.toUpperCase() }, 'SECRET_KEY and RETIRED_SECRET_KEYS'],
    [{ RETIRED_SECRET_KEYS: `${OTHER_KEY}, ${KEY}` }, 'SECRET_KEY and RETIRED_SECRET_KEYS'],
    [{ PROVIDER_APP_KEY: KEY }, 'SECRET_KEY and PROVIDER_APP_KEY'],
    [{ PROVIDER_APP_ID: 'the-app-key' }, 'PROVIDER_APP_ID and PROVIDER_APP_KEY'],
  ])('is refused: %j', (settings, names) => {
    const faults = faultsOf({ ...LIVE_SETTINGS, ...settings });
    expect(faults).toEqual([`${names} have the same secret: each needs its own`]);
  });

  it.each([
    { PROVIDER_APP_ID: 'AbCdEfGh', PROVIDER_APP_KEY: 'aBcDeFgH' },
    { PROVIDER_APP_ID: 'app1', PROVIDER_APP_KEY: 'app1,Zk9xQ' },
  ])('is not what only looks alike: %j', (settings) => {
    expect(faultsOf({ ...LIVE_SETTINGS, ...settings })).toEqual([]);
  });

  it('is refused by the names that are set', () => {
    const file = join(folder(), 'key');
    writeFileSync(file, KEY);
    const settings = { ...LIVE_SETTINGS, PROVIDER_APP_KEY: '', PROVIDER_APP_KEY_FILE: file };
    expect(faultsOf(settings)).toEqual([
      'SECRET_KEY and PROVIDER_APP_KEY_FILE have the same secret: each needs its own',
    ]);
  });
});

it('PROVIDER_URL is not the service itself', () => {
  expect(faultsOf(LIVE_SETTINGS)).toEqual([]);
  expect(faultsOf({ ...LIVE_SETTINGS, PROVIDER_URL: 'https://LOGIN.example.test' })).toEqual([
    'PROVIDER_URL is PUBLIC_URL, so the service would ask itself: set that of the provider',
  ]);
});
