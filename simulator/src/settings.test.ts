import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SERVICES_IN_USE } from './engine/services.ts';
import { readSettings, type Settings } from './settings.ts';

const TOKEN = 'a-token-of-enough-length';

function settingsOf(env: Record<string, string>): Settings {
  const result = readSettings(env);
  if (!result.ok) throw new Error(result.faults.join());
  return result.settings;
}

function faultsOf(env: Record<string, string>): readonly string[] {
  const result = readSettings(env);
  return result.ok ? [] : result.faults;
}

it('no service has thin tokens unless a setting says so', () => {
  expect([...SERVICES_IN_USE.values()].filter(({ thin }) => thin)).toEqual([]);
});

describe('the settings', () => {
  it('need nothing', () => {
    expect(settingsOf({})).toMatchObject({
      host: '127.0.0.1',
      port: 4000,
      publicUrl: 'http://127.0.0.1:4000',
      providerPrefixes: ['/stg', ''],
      dataDir: './data/simulator',
      issuer: 'http://127.0.0.1:4000',
      relyingParty: {
        returnUrl: 'http://127.0.0.1:3000/api/v1/callback',
        returnMethod: 'GET',
        pushUrl: 'http://127.0.0.1:3000/api/v1/provider/mfa-callback',
      },
      credentials: null,
      profile: 'reported',
      pushStatus: 200,
      services: SERVICES_IN_USE,
      peopleFile: null,
      token: null,
      logLevel: 'warn',
    });
  });

  it('are read anew with the port that was found for PORT=0', () => {
    expect(settingsOf({ PORT: '0' }).port).toBe(0);
    const found = readSettings({ PORT: '0' }, 4321);
    const publicUrl = 'http://127.0.0.1:4321';
    expect(found).toMatchObject({ settings: { port: 4321, publicUrl, issuer: publicUrl } });
  });

  it('are read', () => {
    const env = {
      PORT: '4100',
      PUBLIC_URL: 'https://id.example.test/',
      SIMULATOR_TOKEN: TOKEN,
      APP_ID: 'an id',
      APP_KEY: 'a key',
      PROFILE: 'web-short-names',
      PUSH_STATUS: '201',
      ALLOWED_HOSTS: 'Simulator, other.example.test',
      PROVIDER_PATH_PREFIX: '',
      PEOPLE_FILE: 'people.json',
      LOG_LEVEL: 'debug',
      ISSUER: 'an-application',
      WEB_ISSUER: 'https://iam.example.test/',
      RELYING_PARTY_RETURN_METHOD: 'POST',
    };
    expect(settingsOf(env)).toMatchObject({
      port: 4100,
      publicUrl: 'https://id.example.test',
      token: TOKEN,
      credentials: { appId: 'an id', appKey: 'a key' },
      profile: 'web-short-names',
      pushStatus: 201,
      allowedHosts: ['simulator', 'other.example.test'],
      providerPrefixes: [''],
      peopleFile: 'people.json',
      logLevel: 'debug',
      issuer: 'an-application',
      webIssuer: 'https://iam.example.test/',
      relyingParty: {
        returnMethod: 'POST',
      },
    });
  });

  it.each([
    ['0.0.0.0', 'http://127.0.0.1:4000'],
    ['::', 'http://127.0.0.1:4000'],
    ['::1', 'http://[::1]:4000'],
    ['localhost', 'http://localhost:4000'],
  ])('with HOST %s are reached at %s', (HOST, publicUrl) => {
    expect(settingsOf({ HOST, SIMULATOR_TOKEN: TOKEN }).publicUrl).toBe(publicUrl);
  });

  it('know services by name, seconds to answer, and thinness of their tokens', () => {
    const { services } = settingsOf({
      SERVICES: 'Login, Pay:thin, Close:90,Move.it:thin:5 ,Bank*,*:30',
    });
    expect(Object.fromEntries(services)).toEqual({
      Login: { answerMs: 60_000, thin: false },
      Pay: { answerMs: 180_000, thin: true },
      Close: { answerMs: 90_000, thin: false },
      'Move.it': { answerMs: 5000, thin: true },
      'Bank*': { answerMs: null, thin: false },
      '*': { answerMs: 30_000, thin: false },
    });
  });

  it.each([
    ['PORT', 'x'],
    ['PORT', '65536'],
    ['PUBLIC_URL', 'ftp://127.0.0.1'],
    ['PUBLIC_URL', 'http://127.0.0.1/path'],
    ['PUBLIC_URL', 'http://user@127.0.0.1'],
    ['ISSUER', 'two words'],
    ['CLIENT_ID', 'nonsense'],
    ['AUDIENCE', 'nonsense'],
    ['RELYING_PARTY_RETURN_URL', '/api'],
    ['RELYING_PARTY_PUSH_URL', 'javascript:alert(1)'],
    ['RELYING_PARTY_RETURN_METHOD', 'PUT'],
    ['PROVIDER_PATH_PREFIX', 'stg'],
    ['PROVIDER_PATH_PREFIX', '/stg/'],
    ['PROVIDER_PATH_PREFIX', '/stg/..'],
    ['PROVIDER_PATH_PREFIX', '/./stg'],
    ['PROVIDER_PATH_PREFIX', '/%2e%2e/stg'],
    ['PROFILE', 'web'],
    ['PROFILE', 'Reported'],
    ['PUSH_STATUS', '202'],
    ['PUSH_STATUS', '200,201'],
    ['SERVICES', 'Login:0'],
    ['SERVICES', 'Login:1000'],
    ['SERVICES', 'Login:fat'],
    ['SERVICES', 'Login:60:thin'],
    ['SERVICES', '7Up'],
    ['SERVICES', 'Log in'],
    ['SERVICES', 'L'.repeat(65)],
    ['SERVICES', 'Login, Login:thin'],
    ['LOG_LEVEL', 'loud'],
    ['SIMULATOR_TOKEN', 'short'],
    ['APP_ID', 'without a key'],
  ])('refuse %s=%s by name', (name, value) => {
    expect(faultsOf({ [name]: value }).join()).toContain(name);
  });

  it.each([
    ['PORT', 'mfk_canary_0123\nrest'],
    ['LOG_LEVEL', 'Bearer mft_canary'],
    ['PUBLIC_URL', 'http://me:canary@127.0.0.1/path'],
    ['PROVIDER_PATH_PREFIX', '/stg\ncanary'],
    ['APP_KEY', 'canary\n'],
  ])('show nothing that may be a secret: %s', (name, value) => {
    const told = faultsOf({ [name]: value }).join();
    expect(told).toContain(name);
    expect(told).not.toContain('canary');
  });

  it('list every fault at once, and no secret with them', () => {
    const faults = faultsOf({
      PORT: 'x',
      PROFILE: 'none',
      PUSH_STATUS: '2',
      SERVICES: 'a b, c d',
      LOG_LEVEL: 'loud',
      SIMULATOR_TOKEN: 'hush',
      APP_KEY: 'k3y',
    });
    expect(faults).toHaveLength(8);
    expect(faults.join()).not.toMatch(/hush|k3y/);
  });

  it.each([
    ['0.0.0.0', {}],
    ['::', {}],
    ['192.0.2.7', {}],
    ['127.0.0.1', { PUBLIC_URL: 'https://id.example.test' }],
  ])('refuse to be reached from elsewhere without a token: HOST %s %o', (HOST, more) => {
    expect(faultsOf({ HOST, ...more }).join()).toContain('SIMULATOR_TOKEN');
    expect(faultsOf({ HOST, ...more, SIMULATOR_TOKEN: TOKEN })).toEqual([]);
  });

  it('refuse production unless it is said to be meant', () => {
    expect(faultsOf({ NODE_ENV: 'production' }).join()).toContain('ALLOW_SIMULATOR');
    expect(faultsOf({ NODE_ENV: 'production', ALLOW_SIMULATOR: 'true' })).toHaveLength(1);
    expect(faultsOf({ NODE_ENV: 'production', ALLOW_SIMULATOR: 'yes' })).toEqual([]);
  });
});

function fileWith(content: string | Uint8Array): string {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-simulator-secret-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'secret');
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

describe('a secret in a file', () => {
  it('is read, without the white space around it', () => {
    const env = {
      SIMULATOR_TOKEN_FILE: fileWith(`  ${TOKEN}\n`),
      APP_ID_FILE: fileWith('an id\n'),
      APP_KEY_FILE: fileWith('a key'),
    };
    const credentials = { appId: 'an id', appKey: 'a key' };
    expect(settingsOf(env)).toMatchObject({ token: TOKEN, credentials });
  });

  it('and beside it in the environment is a fault', () => {
    const both = { SIMULATOR_TOKEN: TOKEN, SIMULATOR_TOKEN_FILE: fileWith(TOKEN) };
    expect(faultsOf(both)).toEqual([
      'SIMULATOR_TOKEN_FILE and SIMULATOR_TOKEN are both set: keep one',
    ]);
  });

  it.each<[string, string | Uint8Array, string]>([
    ['an empty file', ' \n', 'is empty'],
    ['a character that is no text', 'canary\0canary', 'does not hold text'],
    ['bytes that are no text', Buffer.from('canary\xff', 'latin1'), 'does not hold text'],
    ['a large file', 'canary'.repeat(20_000), 'has more than 65536 bytes'],
  ])('is one fault without its content: %s', (_, content, reason) => {
    const path = fileWith(content);
    const faults = faultsOf({ APP_ID: 'an id', APP_KEY_FILE: path });
    expect(faults).toEqual([expect.stringContaining(`APP_KEY_FILE ${path} ${reason}`)]);
    expect(faults.join()).not.toContain('canary');
  });

  it('is one fault where there is no file, and the secret in the wrong place is not told', () => {
    const missing = join(tmpdir(), 'not-there');
    const faults = faultsOf({ APP_ID: 'an id', APP_KEY_FILE: missing });
    expect(faults).toEqual([`APP_KEY_FILE ${missing} names a file that can't be read: ENOENT`]);
    expect(faultsOf({ SIMULATOR_TOKEN_FILE: TOKEN }).join()).not.toContain(TOKEN);
    expect(faultsOf({ SIMULATOR_TOKEN_FILE: tmpdir() })[0]).toContain('is no regular file');
  });
});

function misspelt(env: Record<string, string>): readonly string[] {
  const result = readSettings(env);
  return result.ok ? result.misspelt : result.faults;
}

describe('variables that are no settings', () => {
  it.each([
    ['PORTT', 'PORTT in the environment is no setting: did you mean PORT?'],
    ['APPKEY', 'APPKEY in the environment is no setting: did you mean APP_KEY?'],
    [
      'RELYING_PARTY_PUSHURL',
      'RELYING_PARTY_PUSHURL in the environment is no setting: did you mean RELYING_PARTY_PUSH_URL?',
    ],
    ['MIFTAH_PORT', 'unknown in the environment: MIFTAH_PORT (did you mean PORT?)'],
  ])('are told, without their values, where they look like one: %s', (name, told) => {
    expect(misspelt({ [name]: 'secret-value' })).toEqual([told]);
  });

  it('are left alone where they are of other programs', () => {
    const list = new URL('../../schema/test/ordinary-names.txt', import.meta.url);
    const names = readFileSync(list, 'utf8').replaceAll(/^#.*$/gm, '').trim().split(/\s+/);
    expect(misspelt(Object.fromEntries(names.map((name) => [name, '1'])))).toEqual([]);
    expect(misspelt({ MIFTAH_URL: 'x', MIFTAH_KEY: 'x' })).toEqual([]);
  });

  it('are faults where npm has kept a flag', () => {
    const env = { npm_config_port: 'secret-value' };
    expect(faultsOf({ ...env, npm_lifecycle_event: 'simulator' })).toEqual([
      'npm keeps flags for itself: set PORT in the environment',
    ]);
    expect(faultsOf(env)).toEqual([]);
  });
});
