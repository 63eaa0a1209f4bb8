import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { LIVE_SETTINGS } from '../../test/support/live/live-settings.ts';
import { ConfigError, loadConfig } from './config.ts';
import { describeConfig } from './describe.ts';
import { SETTINGS } from './settings.ts';

const KEY = 'ab'.repeat(32);
const APP_KEY = 'canary-app-key';

const LIVE: Readonly<Record<string, string>> = {
  ...LIVE_SETTINGS,
  PROVIDER_PATH_PREFIX: '/stg',
  PROVIDER_APP_KEY: APP_KEY,
};

const load = (changes: Readonly<Record<string, string>> = {}) =>
  loadConfig([], { ...LIVE, ...changes }).config;

function faultsOf(changes: Readonly<Record<string, string>>): readonly string[] {
  try {
    load(changes);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

describe('live mode', () => {
  it('is there with everything that it needs, and no more', () => {
    expect(load().live).toMatchObject({
      url: 'https://provider.example.test',
      pathPrefixes: { oidc: '/stg', mfa: '/stg' },
      service: 'Login',
      ownAddress: null,
      hasPushCallback: false,
      pushLifetimeMs: 200_000,
      minimumAssurance: 0,
      isRehearsal: false,
    });
  });

  const { PROVIDER: _, PUBLIC_URL: __, PROVIDER_ISSUER, PROVIDER_PATH_PREFIX, ...needed } = LIVE;
  const eitherWay = { PROVIDER_ISSUER, PROVIDER_PATH_PREFIX };
  it.each(Object.keys(needed))('does not start without %s', (name) => {
    expect(faultsOf({ [name]: '' })).toEqual([`${name} is needed with PROVIDER=live`]);
  });

  it.each([
    ['PROVIDER_ISSUER', 'PROVIDER_PUSH_ISSUER and PROVIDER_WEB_ISSUER'],
    ['PROVIDER_PATH_PREFIX', 'PROVIDER_PUSH_PATH_PREFIX and PROVIDER_WEB_PATH_PREFIX'],
  ])('does not start without %s, or %s', (name, two) => {
    expect(faultsOf({ [name]: '' })).toEqual([`${name} is needed with PROVIDER=live, or ${two}`]);
  });

  it('tells all that is missing at once', () => {
    const all = Object.keys({ ...needed, ...eitherWay });
    const nothing = Object.fromEntries(all.map((name) => [name, '']));
    expect(faultsOf(nothing)).toHaveLength(all.length);
  });

  it.each(['http://login.example.test', 'http://10.0.0.1', 'http://localhost.example.test'])(
    'is not served in the clear: %s',
    (address) => {
      expect(faultsOf({ PUBLIC_URL: address })).toEqual([
        'PUBLIC_URL must be https with PROVIDER=live, or http on a loopback address ' +
          'to rehearse on one machine',
      ]);
    },
  );

  it('may be served in the clear on this machine', () => {
    expect(faultsOf({ PUBLIC_URL: 'http://localhost:3000' })).toEqual([]);
  });

  it('counts requests, whatever the settings say', () => {
    expect(faultsOf({ RATE_LIMITS: 'off' })).toEqual([
      'RATE_LIMITS=off is refused with PROVIDER=live',
    ]);
  });

  it('needs no telling to be strict, and takes none', () => {
    expect(faultsOf({ STRICT: 'yes', BUDGETS: 'off' })).toEqual([
      'STRICT, BUDGETS belong to the simulator: live mode is always strict and counts',
    ]);
  });

  it('has no invented people', () => {
    expect(faultsOf({ PEOPLE_FILE: 'people.json' })).toEqual([
      'PEOPLE_FILE belongs to the simulator: in a rehearsal, set it for that program alone',
    ]);
  });

  it('is what production runs', () => {
    expect(faultsOf({ NODE_ENV: 'production' })).toEqual([]);
  });

  it('is a rehearsal when the operator allows a simulator', () => {
    expect(load({ ALLOW_SIMULATOR: 'yes' }).live?.isRehearsal).toBe(true);
    expect(load({ ALLOW_SIMULATOR: 'true' }).live?.isRehearsal).toBe(false);
  });

  it('keeps the audience to the letter', () => {
    for (const audience of ['https://login.example.test', 'https://Login.example.test/']) {
      expect(load({ PROVIDER_AUDIENCE: audience }).live?.audience).toBe(audience);
    }
  });

  it.each(DOT_SEGMENTS)('says what is wrong with a prefix that leads elsewhere: %s', (prefix) => {
    expect(faultsOf({ PROVIDER_WEB_PATH_PREFIX: prefix })).toEqual([
      expect.stringContaining('must have no "." or ".." for a part, and no "%"'),
    ]);
  });

  it.each(['/..a', '/a..b', '/...', '/.well-known/x'])('keeps dots in a name: %s', (prefix) => {
    expect(load({ PROVIDER_PATH_PREFIX: prefix }).live?.pathPrefixes.oidc).toBe(prefix);
  });

  it('has no prefix where the operator says so', () => {
    expect(load({ PROVIDER_PATH_PREFIX: '/' }).live?.pathPrefixes).toEqual({ oidc: '', mfa: '' });
  });
});

describe('a value for each flow', () => {
  const [push, web] = ['PROVIDER_PUSH_ISSUER', 'PROVIDER_WEB_ISSUER'];
  const none = { PROVIDER_ISSUER: '' };

  it.each([
    [{}, { oidc: LIVE['PROVIDER_ISSUER'], mfa: LIVE['PROVIDER_ISSUER'] }],
    [
      { ...none, [push]: 'a', [web]: 'b' },
      { oidc: 'b', mfa: 'a' },
    ],
    [{ [push]: 'a' }, { oidc: LIVE['PROVIDER_ISSUER'], mfa: 'a' }],
    [{ [web]: 'b' }, { oidc: 'b', mfa: LIVE['PROVIDER_ISSUER'] }],
  ])('%j is %j', (settings, issuers) => {
    expect(load(settings).live?.issuers).toEqual(issuers);
  });

  it.each([
    [{ ...none, [push]: 'a' }, `${web} is needed beside ${push}, or PROVIDER_ISSUER for`],
    [{ ...none, [web]: 'a' }, `${push} is needed beside ${web}, or PROVIDER_ISSUER for`],
    [{ [push]: 'a', [web]: 'b' }, `PROVIDER_ISSUER is used by no flow beside ${push} and ${web}`],
  ])('%j is refused, and what is wrong is named', (settings, fault) => {
    expect(faultsOf(settings)).toEqual([expect.stringContaining(fault)]);
  });

  it.each([
    { PROVIDER_PATH_PREFIX: '', PROVIDER_PUSH_PATH_PREFIX: '/', PROVIDER_WEB_PATH_PREFIX: '/stg' },
    { PROVIDER_PATH_PREFIX: '/', PROVIDER_WEB_PATH_PREFIX: '/stg' },
    { PROVIDER_PATH_PREFIX: '/stg', PROVIDER_PUSH_PATH_PREFIX: '/' },
  ])('is shown as it was given: %j', (settings) => {
    const loaded = loadConfig([], { ...LIVE, ...settings });
    expect(loaded.config.live?.pathPrefixes).toEqual({ oidc: '/stg', mfa: '' });
    const shown = describeConfig(loaded);
    for (const [name, value] of Object.entries(settings)) {
      expect(shown).toContain(value === '' ? `# ${name} is not set` : `\n${name}=${value}  #`);
    }
  });
});

/** A client of HTTP takes them out, so that another path is called than the setting says. */
const DOT_SEGMENTS = [
  '/..',
  '/.',
  '/a/../b',
  '/a/./b',
  '/a/..',
  '/%2e%2e',
  '/a/%2E%2e/b',
  '/a/.%2e',
];

const BAD: Readonly<Record<string, readonly string[]>> = {
  PROVIDER_URL: ['provider.test', 'http://provider.test', 'https://a.test/path', 'https://u:p@a.t'],
  PROVIDER_PATH_PREFIX: ['stg', '/stg/', '//', '/a b', '/../x?', ...DOT_SEGMENTS],
  PROVIDER_PUSH_PATH_PREFIX: ['stg', '/stg/', ...DOT_SEGMENTS],
  PROVIDER_WEB_PATH_PREFIX: ['stg', '/stg/', ...DOT_SEGMENTS],
  PROVIDER_APP_ID: ['with a blank', 'ÿ'],
  PROVIDER_APP_KEY: ['with a blank', 'two\nlines'],
  PROVIDER_OWN_ADDRESS: ['example.test', '10.0.0.0/8', '256.0.0.1'],
  PROVIDER_SERVICE: ['with a blank', 'x'.repeat(256)],
  PROVIDER_ISSUER: ['with a blank', 'https://user:password@issuer.test'],
  PROVIDER_PUSH_ISSUER: ['with a blank', 'https://user:password@issuer.test'],
  PROVIDER_WEB_ISSUER: ['with a blank', 'https://user:password@issuer.test'],
  PROVIDER_AUDIENCE: ['Login', 'login.example.test', 'urn:login', 'https://a.test/a b'],
  PROVIDER_AUTHORIZE_ORIGIN: ['http://auth.test', 'https://auth.test/authorize'],
  PROVIDER_MFA_CALLBACK: ['true', 'yes', 'https://login.example.test'],
  PROVIDER_PUSH_LIFETIME: ['200', '0s', 'long'],
  MINIMUM_ASSURANCE: ['-1', '10', 'high'],
  RETIRED_SECRET_KEYS: ['x', `${'cd'.repeat(32)},`, `${KEY} ${KEY}`],
};

const badRows = Object.entries(BAD).flatMap(([name, texts]) =>
  texts.map((text) => [name, text] as const),
);

describe('a bad value is refused by the name of its setting', () => {
  it.each(badRows)('%s=%s', (name, text) => {
    const faults = faultsOf({ [name]: text });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(new RegExp(`^${name} \\S`));
  });

  it('covers every setting of live mode that has a form', () => {
    const own = Object.keys(SETTINGS).filter((name) =>
      /^(PROVIDER_|MIN|RETIRED).*(?<!_FILE)$/.test(name),
    );
    expect(Object.keys(BAD).toSorted()).toEqual(own.toSorted());
  });
});

it('no description of the settings and no fault has a secret in it', () => {
  const retired = 'cd'.repeat(32);
  const loaded = loadConfig([], { ...LIVE, RETIRED_SECRET_KEYS: retired });
  const faults = faultsOf({ PROVIDER_APP_KEY: `${APP_KEY} x`, RETIRED_SECRET_KEYS: `${retired}x` });
  expect(faults).toHaveLength(2);
  for (const text of [describeConfig(loaded), inspect(loaded.config), faults.join('\n')]) {
    for (const secret of [KEY, APP_KEY, retired]) expect(text).not.toContain(secret);
  }
});
