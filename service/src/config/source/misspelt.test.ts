import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadConfig, ConfigError } from '../config.ts';
import { SETTINGS } from '../settings.ts';

const misspelt = (environment: Record<string, string>) => loadConfig([], environment).misspelt;

function faultsOf(environment: Record<string, string>, args: readonly string[] = []) {
  try {
    loadConfig(args, environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

/** Of programs, CI systems and platforms whose environment a service is started in. */
const ORDINARY = readFileSync(
  new URL('../../../../schema/test/ordinary-names.txt', import.meta.url),
  'utf8',
)
  .split('\n')
  .filter((line) => !line.startsWith('#'))
  .flatMap((line) => line.split(' ').filter((name) => name !== ''));

describe('a misspelt setting in the environment', () => {
  it.each([
    ['PORTT', 'PORT'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['public_url', 'PUBLIC_URL'],
    ['PROVIDER_AUDEINCE', 'PROVIDER_AUDIENCE'],
    ['STRCIT', 'STRICT'],
    ['STRIKT', 'STRICT'],
    ['OPENIT', 'OPENID'],
  ])('is told, with the name that was meant and without its value: %s', (name, meant) => {
    expect(misspelt({ [name]: 'secret-value' })).toEqual([
      `${name} in the environment is no setting: did you mean ${meant}?`,
    ]);
    expect(misspelt({ [name]: '' })).toEqual([]);
  });

  it('is told for every setting that two letters changed places in', () => {
    const swapped = Object.keys(SETTINGS).map((name) => name.replace(/^(.)(.)/, '$2$1'));
    expect(misspelt(Object.fromEntries(swapped.map((name) => [name, '1'])))).toHaveLength(
      swapped.length,
    );
  });

  it('is a fault beside other faults', () => {
    expect(faultsOf({ PORT: 'abc', MIFTAH_PROT: '1', STRCIT: 'yes' })).toEqual([
      'unknown in the environment: MIFTAH_PROT (did you mean PORT?)',
      expect.stringMatching(/^PORT /),
      'STRCIT in the environment is no setting: did you mean STRICT?',
    ]);
  });

  it('is not counted beside them, because alone it keeps nothing from starting', () => {
    expect(() => loadConfig([], { PORT: 'abc', STRCIT: 'yes' })).toThrow(
      /^1 of the settings can't be used:\n {2}- PORT .*\nThese may be misspelt:\n {2}- STRCIT in the/,
    );
  });

  it('is none where the name is one of another program', () => {
    expect(ORDINARY.length).toBeGreaterThan(500);
    expect(misspelt(Object.fromEntries(ORDINARY.map((name) => [name, '1'])))).toEqual([]);
  });
});

it.each([
  ['MIFTAH_PORT', 'MIFTAH_PORT (did you mean PORT?)'],
  ['MIFTAH_STRIKT', 'MIFTAH_STRIKT (did you mean STRICT?)'],
  ['MIFTAH_LOGLEVEL', 'MIFTAH_LOGLEVEL (did you mean LOG_LEVEL?)'],
  ['MIFTAH_KEYS', 'MIFTAH_KEYS (did you mean MIFTAH_KEY?)'],
  ['MIFTAH_CLIENT_KEY', 'MIFTAH_CLIENT_KEY'],
])('an unknown variable of ours is a fault that names what was meant: %s', (name, told) => {
  expect(faultsOf({ [name]: 'secret-value' })).toEqual([`unknown in the environment: ${told}`]);
});

it.each([
  ['--strickt', '--strict'],
  ['--strikt', '--strict'],
  ['--posrt', '--port'],
  ['--pork', '--port'],
])('an unknown flag is named with the one that was meant: %s', (flag, meant) => {
  expect(faultsOf({}, [flag])).toEqual([
    `Unknown flag ${flag} (did you mean ${meant}?). See --help`,
  ]);
});

function underNpm(event: string, ...names: readonly string[]) {
  return faultsOf(keptBy(event, names));
}

function keptBy(event: string, names: readonly string[]) {
  const kept: Record<string, string> = { npm_lifecycle_event: event };
  for (const name of names) kept[`npm_config_${name}`] = 'secret-value';
  return kept;
}

describe('a flag that npm keeps for itself', () => {
  it('is named, with where to write it', () => {
    expect(underNpm('start', 'strict')).toEqual([
      'npm keeps --strict for itself when no -- stands before it: write npm start -- --strict',
    ]);
    expect(underNpm('dev', 'public_url')[0]).toMatch(/write npm run dev -- --public-url$/);
    expect(underNpm('npx', 'lan')[0]).toMatch(/write npx miftah COMMAND --lan$/);
    expect(underNpm('start', 'secret_key')[0]).toMatch(/set SECRET_KEY in the environment/);
  });

  it('is one fault with its value, which npm hands over', () => {
    expect(faultsOf(keptBy('start', ['port']), ['3403'])).toEqual([
      'npm keeps --port for itself when no -- stands before it: write npm start -- --port',
    ]);
    expect(faultsOf(keptBy('start', []), ['3403'])).toHaveLength(1);
  });

  it('is each flag there is', () => {
    const flags = [...Object.keys(SETTINGS), 'CONFIG', 'LAN', 'SHOW_CONFIG'];
    expect(underNpm('start', ...flags.map((name) => name.toLowerCase()))).toHaveLength(
      flags.length,
    );
  });

  it('is none of npm’s own, and nothing where npm started nothing', () => {
    expect(underNpm('start', 'loglevel', 'registry', 'strict_ssl')).toEqual([]);
    expect(faultsOf({ npm_config_strict: 'true' })).toEqual([]);
  });
});
