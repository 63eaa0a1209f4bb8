import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Secret } from '../../values/secret.ts';
import { loadConfig } from '../config.ts';
import { rereadProviderKeys, rereadServerKeys, secretsForNextStart } from './reread.ts';

const FILES = {
  SECRET_KEY: 'ab'.repeat(32),
  PROVIDER_APP_ID: 'app-id-0123456789',
  PROVIDER_APP_KEY: 'app-key-0123456789',
  OPERATOR_CLIENT_SECRET: 'operator-secret-0123456789',
  SIMULATOR_TOKEN: 'simulator-token-0123456789',
};
type Secrets = keyof typeof FILES;

/** A live service with each of these secrets in a file. */
function open() {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-reread-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const place = (name: string) => join(folder, name);
  const write = (name: Secrets, text: string) => writeFileSync(place(name), text);
  for (const [name, text] of Object.entries(FILES)) write(name as Secrets, text);
  const files = Object.keys(FILES).map((name) => [`${name}_FILE`, place(name)]);
  const { config } = loadConfig([], {
    ...(Object.fromEntries(files) as Record<string, string>),
    PROVIDER: 'live',
    CLIENTS_FILE: place('clients.json'),
    PROVIDER_URL: 'https://provider.example',
    PROVIDER_AUDIENCE: 'https://sign-in.example',
    PROVIDER_ISSUER: 'https://provider.example',
    PROVIDER_PATH_PREFIX: '/api',
    PROVIDER_AUTHORIZE_ORIGIN: 'https://provider.example',
    PUBLIC_URL: 'https://sign-in.example',
    OPERATOR_PORT: '3002',
    OPERATOR_ISSUER: 'https://operators.example',
    OPERATOR_CLIENT_ID: 'miftah',
    OPERATOR_ROLES_FILE: place('roles.json'),
  });
  const { appId, appKey } = config.live ?? expect.unreachable('it is live');
  return { config, place, write, used: { appId, appKey } };
}

const OTHERS = ['SECRET_KEY', 'OPERATOR_CLIENT_SECRET', 'SIMULATOR_TOKEN'] as const;
const NEXT = 'cd'.repeat(32);

describe('a key of the provider', () => {
  it('is read in its file', () => {
    const { config, write, used } = open();
    write('PROVIDER_APP_KEY', 'app-key-of-now-0123456789');
    const { appKey } = rereadProviderKeys(config, used);
    expect(appKey.reveal()).toBe('app-key-of-now-0123456789');
  });

  it.each(OTHERS)('that is that of %s is refused, also where it is new there', (other) => {
    const { config, write, used } = open();
    write('PROVIDER_APP_KEY', FILES[other]);
    const said = 'PROVIDER_APP_ID or PROVIDER_APP_KEY has the secret of another setting';
    expect(() => rereadProviderKeys(config, used)).toThrow(said);
    write(other, NEXT);
    write('PROVIDER_APP_KEY', NEXT);
    expect(() => rereadProviderKeys(config, used)).toThrow(said);
  });

  it.each(OTHERS)(
    'that is the %s of the start, which is in use until the next, is refused',
    (other) => {
      const { config, write, used } = open();
      write(other, NEXT);
      write('PROVIDER_APP_KEY', FILES[other]);
      expect(() => rereadProviderKeys(config, used)).toThrow('has the secret of another setting');
    },
  );
});

it.each([
  'PROVIDER_APP_ID',
  'PROVIDER_APP_KEY',
  'OPERATOR_CLIENT_SECRET',
  'SIMULATOR_TOKEN',
] as const)('a key of the service that is that of %s now is refused', (other) => {
  const { config, write } = open();
  write('SECRET_KEY', NEXT);
  expect(rereadServerKeys(config).current).toEqual(new Secret(NEXT));
  write(other, NEXT);
  expect(() => rereadServerKeys(config)).toThrow(
    'SECRET_KEY or RETIRED_SECRET_KEYS has the secret of another setting',
  );
});

it.each(['OPERATOR_CLIENT_SECRET', 'SIMULATOR_TOKEN'] as const)(
  '%s that has changed in its file is told, because a start alone reads it',
  (name) => {
    const { config, place, write } = open();
    expect(secretsForNextStart(config)).toEqual([]);
    write(name, 'another-secret-0123456789');
    const where = `${name}_FILE ${place(name)}`;
    expect(secretsForNextStart(config)).toEqual([
      `${where} has changed: it is read at the next start`,
    ]);
    write(name, '');
    expect(secretsForNextStart(config)).toEqual([`${where} is empty: write the secret into it`]);
  },
);
