import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LIVE_SETTINGS } from '../../../test/support/live/live-settings.ts';
import { ConfigError, loadConfig, loadForMigration } from '../config.ts';
import { readInstance } from '../instance.ts';
import { readProviderAccess } from '../provider-access.ts';
import { suppliedFolders } from './secret-files.ts';
import { SETTINGS } from '../settings.ts';

type Environment = Readonly<Record<string, string>>;

const KEY = 'ab'.repeat(32);
const CANARY = 'canary0123456789canary0123456789';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'miftah-secret-files-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function fileWith(content: string | Uint8Array): string {
  const path = join(folder(), 'secret');
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

function faultsOf(
  environment: Environment,
  load: typeof loadForMigration = loadConfig,
): readonly string[] {
  try {
    load([], environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

const LIVE: Environment = { ...LIVE_SETTINGS, PROVIDER_APP_ID: 'app', PROVIDER_APP_KEY: CANARY };

/** A value for each secret, with the settings that it is used with. */
const SECRETS: Readonly<Record<string, readonly [value: string, base: Environment]>> = {
  DATABASE_URL: [`postgres://miftah:${CANARY}@127.0.0.1/miftah`, { SECRET_KEY: KEY }],
  SECRET_KEY: ['cd'.repeat(32), LIVE],
  RETIRED_SECRET_KEYS: [`${'12'.repeat(32)},${'34'.repeat(32)}`, LIVE],
  PROVIDER_APP_ID: ['the-app-id', LIVE],
  PROVIDER_APP_KEY: ['the-app-key', LIVE],
  SIMULATOR_TOKEN: [CANARY, {}],
  OPERATOR_CLIENT_SECRET: [
    CANARY,
    {
      OPERATOR_PORT: '3010',
      OPERATOR_ISSUER: 'https://login.example',
      OPERATOR_CLIENT_ID: 'miftah',
      OPERATOR_ROLES_FILE: 'roles.json',
    },
  ],
};

it('each secret can be in a file', () => {
  const secrets = Object.entries(SETTINGS).filter(([, setting]) => 'secret' in setting);
  expect(Object.keys(SECRETS).toSorted()).toEqual(secrets.map(([name]) => name).toSorted());
});

describe.each(Object.entries(SECRETS))('%s_FILE', (name, [value, base]) => {
  const setting = `${name}_FILE`;

  it('does what the secret in the environment does, with white space around it', () => {
    const { config } = loadConfig([], { ...base, [name]: value });
    const path = fileWith(`\n ${value}\r\n`);
    const { config: read } = loadConfig([], { ...base, [name]: '', [setting]: path });
    const sameFromFile = { ...config, secretFiles: [{ secret: name, setting, path }] };
    expect(read).toEqual(sameFromFile);
    const flag = `--${setting.toLowerCase().replaceAll('_', '-')}`;
    expect(loadConfig([flag, path], { ...base, [name]: '' }).config).toEqual(sameFromFile);
  });

  it('and the secret are a fault', () => {
    const faults = faultsOf({ ...base, [name]: value, [setting]: fileWith(value) });
    expect(faults).toEqual([
      `${setting} (from the environment) and ${name} (from the environment) are both set: keep one`,
    ]);
  });

  it('beside a value that can’t be used leaves the fault to the value', () => {
    const wrong = `${CANARY} ${CANARY}`;
    const faults = faultsOf({ ...base, [name]: wrong, [setting]: fileWith(value) });
    expect(faults.filter((fault) => fault.startsWith(setting))).toHaveLength(1);
  });

  it.each<[string, string | Uint8Array, string]>([
    ['empty', '\n', 'is empty: write the secret into it'],
    ['not text', `${CANARY}\0`, 'does not hold text'],
    ['not UTF-8', Buffer.from(`${CANARY}\xff`, 'latin1'), 'does not hold text'],
    ['too large', CANARY.repeat(3000), 'has more than 65536 bytes'],
    ['of another form', `${CANARY} ${CANARY}\n${CANARY}`, ''],
  ])('that is %s is one fault, with its path and without its content', (_, content, reason) => {
    const path = fileWith(content);
    const faults = faultsOf({ ...base, [name]: '', [setting]: path });
    expect(faults).toEqual([expect.stringMatching(new RegExp(`^${setting} ${path}:? ${reason}`))]);
    expect(faults.join()).not.toContain('canary');
  });

  it('that is not there, or is no file, is one fault that says what to do', () => {
    const place = folder();
    mkdirSync(join(place, 'folder'));
    const faultOf = (entry: string) =>
      faultsOf({ ...base, [name]: '', [setting]: join(place, entry) });
    expect(faultOf('missing')).toEqual([
      `${setting} ${join(place, 'missing')} names a file that is not there (ENOENT): make the ` +
        'file, or correct the path',
    ]);
    expect(faultOf('folder')[0]).toContain('is a folder');
    expect(faultsOf({ ...base, [name]: '', [setting]: devNull })[0]).toContain(
      'is no regular file',
    );
  });

  it('that was given the secret itself does not tell it', () => {
    const faults = faultsOf({ ...base, [name]: '', [setting]: value });
    expect(faults).toHaveLength(1);
    expect(faults[0]).not.toContain(value);
  });
});

it('a file of a secret may be named in the file of settings', () => {
  const path = fileWith(CANARY);
  const settings = join(folder(), 'settings');
  writeFileSync(settings, `SIMULATOR_TOKEN_FILE=${path}\n`);
  const { config } = loadConfig(['--config', settings], {});
  expect(config.simulatorToken?.reveal()).toBe(CANARY);
});

describe('what is no service', () => {
  it('reads the credentials of a provider from files', () => {
    const environment = {
      PROVIDER_PATH_PREFIX: '/stg',
      PROVIDER_APP_ID_FILE: fileWith('the-app-id\n'),
      PROVIDER_APP_KEY_FILE: fileWith(`${CANARY}\n`),
    };
    const flags = { url: 'https://a.test', pathPrefix: undefined, config: undefined };
    const { appId, appKey } = readProviderAccess(flags, environment);
    expect([appId.reveal(), appKey.reveal()]).toEqual(['the-app-id', CANARY]);
    const wrong = { ...environment, PROVIDER_APP_KEY_FILE: '/not/there' };
    expect(() => readProviderAccess(flags, wrong)).toThrow(/^1 of .*\n.*APP_KEY_FILE \/not\/there/);
  });

  it('reads the token of the instance that a command drives from a file', () => {
    const environment = { SIMULATOR_TOKEN_FILE: fileWith(`${CANARY}\n`) };
    expect(readInstance({}, environment).simulatorToken).toBe(CANARY);
    const both = { ...environment, SIMULATOR_TOKEN: CANARY };
    expect(() => readInstance({}, both)).toThrow('are both set');
    const missing = { SIMULATOR_TOKEN_FILE: '/not/there' };
    expect(() => readInstance({}, missing)).toThrow('SIMULATOR_TOKEN_FILE /not/there names');
  });
});

it('knows the folders that a supervisor fills for one service', () => {
  const credentials = '/run/credentials/miftah.service';
  expect(suppliedFolders({})).toEqual(['/run/secrets']);
  expect(suppliedFolders({ CREDENTIALS_DIRECTORY: '' })).toEqual(['/run/secrets']);
  const supplied = suppliedFolders({ CREDENTIALS_DIRECTORY: credentials });
  expect(supplied).toEqual(['/run/secrets', credentials]);
});

const faultsFor = (environment: Environment) => faultsOf(environment, loadForMigration);

describe('for a migration', () => {
  const { PROVIDER_APP_ID: _, PROVIDER_APP_KEY: __, ...others } = LIVE;
  const missing = {
    PROVIDER_APP_ID_FILE: '/not/there/id',
    PROVIDER_APP_KEY_FILE: '/not/there/key',
  };

  it('no file with a secret of the provider is opened', () => {
    expect(faultsFor({ ...others, ...missing })).toEqual([]);
    expect(faultsOf({ ...others, ...missing })).toHaveLength(2);
  });

  it('they have to be set, and the secret of the database is read', () => {
    expect(faultsFor(others)).toEqual([
      'PROVIDER_APP_ID is needed with PROVIDER=live',
      'PROVIDER_APP_KEY is needed with PROVIDER=live',
    ]);
    const database = { DATABASE_URL_FILE: '/not/there/database' };
    expect(faultsFor({ ...others, ...missing, ...database })[0]).toContain('DATABASE_URL_FILE');
  });
});
