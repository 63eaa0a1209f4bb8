import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { usage } from './source/flags.ts';
import { wayOut } from '../errors/fault-words.ts';
import { ConfigError, loadConfig, type Config } from './config.ts';
import { describeConfig } from './describe.ts';
import { LOG_LEVELS, SETTINGS } from './settings.ts';

type Environment = Record<string, string>;

const HEX = '00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF';
const PROVIDER = { PROVIDER: 'simulator' };

const load = (environment: Environment = {}, args: readonly string[] = []): Config =>
  loadConfig(args, environment).config;

function faultsOf(environment: Environment, args: readonly string[] = []): readonly string[] {
  try {
    load(environment, args);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

function fileWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'settings');
  writeFileSync(path, text);
  return path;
}

describe('without any setting', () => {
  it('the service is for this machine only, and everything has a value', () => {
    expect(load()).toEqual({
      host: '127.0.0.1',
      port: 3000,
      publicUrl: 'http://127.0.0.1:3000',
      lan: null,
      allowedHosts: [],
      dataDir: './data',
      database: null,
      mayBegin: true,
      secretKey: null,
      retiredKeys: [],
      provider: 'simulator',
      live: null,
      simulator: {
        isStrict: false,
        hasPushBudgets: false,
        clientsFile: null,
        peopleFile: null,
        keepsTimeLines: true,
      },
      dashboardUrl: 'http://127.0.0.1:3000/dashboard',
      rateLimits: true,
      trustedProxies: [],
      corsOrigins: [],
      openid: false,
      outboundAllow: [],
      docs: true,
      drainMs: 2000,
      simulatorToken: null,
      waiters: { most: 4000, ofClient: 3000, ofAddress: 3000 },
      tokenLifetimeMs: 2_592_000_000,
      retentionMs: 86_400_000,
      retentionLimits: { maxAttempts: null, maxCalls: null, callsMs: null },
      retentionAuditMs: null,
      auditHeadFile: null,
      auditCursorFile: null,
      logLevel: 'info',
      metricsPort: null,
      metricsHost: '127.0.0.1',
      traces: null,
      operator: null,
      secretFiles: [],
      authoritiesFile: null,
    });
  });

  it('the settings are frozen', () => {
    expect(Object.isFrozen(load())).toBe(true);
  });

  it('an empty variable counts as not set, whichever it is', () => {
    const empty = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, '']));
    expect(load(empty)).toEqual(load());
  });
});

type Reading = readonly [text: string, member: Partial<Record<keyof Config, unknown>>];

/** Every setting, with valid values and what they mean. */
const GOOD: Readonly<Record<string, readonly Reading[]>> = {
  HOST: [
    ['localhost', { host: 'localhost', publicUrl: 'http://localhost:3000' }],
    ['LOCALHOST', { host: 'localhost' }],
    ['::1', { host: '::1', publicUrl: 'http://[::1]:3000' }],
    ['0.0.0.0', { host: '0.0.0.0' }],
    ['my-host.example.test', { host: 'my-host.example.test' }],
  ],
  PORT: [
    ['1', { port: 1 }],
    ['65535', { port: 65_535, publicUrl: 'http://127.0.0.1:65535' }],
    ['0', { port: 0 }],
    ['80', { publicUrl: 'http://127.0.0.1', dashboardUrl: 'http://127.0.0.1/dashboard' }],
  ],
  PUBLIC_URL: [
    ['http://localhost:8080', { publicUrl: 'http://localhost:8080' }],
    ['https://Login.Example.test/', { publicUrl: 'https://login.example.test' }],
    ['https://login.example.test:443', { publicUrl: 'https://login.example.test' }],
    [
      'https://login.example.test',
      { dashboardUrl: 'https://login.example.test/dashboard', host: '127.0.0.1' },
    ],
  ],
  ALLOWED_HOSTS: [
    ['a.test', { allowedHosts: ['a.test'] }],
    [' A.test , 10.0.0.1,fd00::1', { allowedHosts: ['a.test', '10.0.0.1', 'fd00::1'] }],
  ],
  DATA_DIR: [['/var/lib/miftah', { dataDir: '/var/lib/miftah' }]],
  NEW_STORE: [
    ['no', { mayBegin: false }],
    ['yes', { mayBegin: true }],
  ],
  PROVIDER: [['simulator', { provider: 'simulator' }]],
  STRICT: [
    ['yes', { simulator: { isStrict: true } }],
    ['no', { simulator: { isStrict: false } }],
  ],
  BUDGETS: [
    ['on', { simulator: { hasPushBudgets: true } }],
    ['off', { simulator: { hasPushBudgets: false } }],
  ],
  TIME_LINES: [
    ['on', { simulator: { keepsTimeLines: true } }],
    ['off', { simulator: { keepsTimeLines: false } }],
  ],
  PEOPLE_FILE: [['people.json', { simulator: { peopleFile: 'people.json' } }]],
  CLIENTS_FILE: [['clients.json', { simulator: { clientsFile: 'clients.json' } }]],
  DASHBOARD_URL: [
    ['https://app.test/return?a=1', { dashboardUrl: 'https://app.test/return?a=1' }],
    ['http://localhost:5173', { dashboardUrl: 'http://localhost:5173/' }],
    ['com.example.app:/signed-in', { dashboardUrl: 'com.example.app:/signed-in' }],
  ],
  RATE_LIMITS: [
    ['on', { rateLimits: true }],
    ['off', { rateLimits: false }],
  ],
  TRUSTED_PROXIES: [
    ['10.0.0.1', { trustedProxies: ['10.0.0.1'] }],
    ['10.0.0.0/8, fd00::/7', { trustedProxies: ['10.0.0.0/8', 'fd00::/7'] }],
    ['10.0.0.1/32,::1/128', { trustedProxies: ['10.0.0.1/32', '::1/128'] }],
  ],
  OUTBOUND_ALLOW: [['10.0.0.0/8,fd00::1', { outboundAllow: ['10.0.0.0/8', 'fd00::1'] }]],
  CORS_ORIGINS: [
    ['https://a.test,http://b.test:81', { corsOrigins: ['https://a.test', 'http://b.test:81'] }],
    [
      'capacitor://localhost,ionic://localhost/,tauri://localhost:1420',
      { corsOrigins: ['capacitor://localhost', 'ionic://localhost', 'tauri://localhost:1420'] },
    ],
  ],
  TOKEN_LIFETIME: [
    ['90s', { tokenLifetimeMs: 90_000 }],
    ['45m', { tokenLifetimeMs: 2_700_000 }],
    ['12h', { tokenLifetimeMs: 43_200_000 }],
    ['30d', { tokenLifetimeMs: 2_592_000_000 }],
  ],
  RETENTION: [
    ['2m', { retentionMs: 120_000 }],
    ['120s', { retentionMs: 120_000 }],
  ],
  WAITERS_MAX: [
    ['0', { waiters: { most: 0, ofClient: 0, ofAddress: 0 } }],
    ['100000', { waiters: { most: 100_000, ofClient: 75_000, ofAddress: 75_000 } }],
  ],
  WAITERS_PER_CLIENT: [['10', { waiters: { most: 4000, ofClient: 10, ofAddress: 3000 } }]],
  WAITERS_PER_ADDRESS: [['4000', { waiters: { most: 4000, ofClient: 3000, ofAddress: 4000 } }]],
  RETENTION_MAX_ATTEMPTS: [
    ['1000', { retentionLimits: { maxAttempts: 1000, maxCalls: null, callsMs: null } }],
    ['1000000', { retentionLimits: { maxAttempts: 1_000_000, maxCalls: null, callsMs: null } }],
  ],
  RETENTION_CALLS: [
    ['1h', { retentionLimits: { maxAttempts: null, maxCalls: null, callsMs: 3_600_000 } }],
    ['24h', { retentionLimits: { maxAttempts: null, maxCalls: null, callsMs: 86_400_000 } }],
  ],
  RETENTION_MAX_CALLS: [
    ['5000', { retentionLimits: { maxAttempts: null, maxCalls: 5000, callsMs: null } }],
  ],
  DRAIN_TIME: [
    ['0s', { drainMs: 0 }],
    ['2m', { drainMs: 120_000 }],
  ],
  RETENTION_AUDIT: [['30d', { retentionAuditMs: 2_592_000_000 }]],
  AUDIT_HEAD_FILE: [['../head', { auditHeadFile: '../head' }]],
  AUDIT_CURSOR_FILE: [['../cursor', { auditCursorFile: '../cursor' }]],
  OTEL_EXPORTER_OTLP_ENDPOINT: [
    ['http://127.0.0.1:4318', { traces: { url: 'http://127.0.0.1:4318/v1/traces', ratio: 1 } }],
    ['https://a.test/otlp/', { traces: { url: 'https://a.test/otlp/v1/traces', ratio: 1 } }],
  ],
  TRACES_RATIO: [
    ['0.25', {}],
    ['1', {}],
  ],
  LOG_LEVEL: LOG_LEVELS.map((level): Reading => [level, { logLevel: level }]),
  ALLOW_SIMULATOR: [['yes', {}]],
  NODE_ENV: [
    ['development', {}],
    ['test', {}],
  ],
};

const goodRows = Object.entries(GOOD).flatMap(([name, readings]) =>
  readings.map(([text, member]) => [name, text, member] as const),
);

describe('a good value', () => {
  it.each(goodRows)('%s=%s', (name, text, member) => {
    expect(load({ ...PROVIDER, [name]: text })).toMatchObject(member);
  });

  it('of a flag is the same as of the variable', () => {
    for (const [name, text] of goodRows) {
      const flag = `--${name.toLowerCase().replaceAll('_', '-')}`;
      expect(load(PROVIDER, [flag, text])).toEqual(load({ ...PROVIDER, [name]: text }));
    }
  });

  it('of SECRET_KEY and SIMULATOR_TOKEN is kept as it is', () => {
    const config = load({ SECRET_KEY: HEX, SIMULATOR_TOKEN: 'x'.repeat(16) });
    expect(config.secretKey?.reveal()).toBe(HEX);
    expect(config.simulatorToken?.reveal()).toBe('x'.repeat(16));
    const path = fileWith(`${HEX}\n`);
    expect(load({ SECRET_KEY_FILE: path }).secretKey?.reveal()).toBe(HEX);
  });
});

const BAD: Readonly<Record<string, readonly string[]>> = {
  HOST: ['http://a', 'a:1', 'a b', '-a', 'a/b', '*', '[::1]', '256.1.1.1', '1.2.3.4.5', '::1%lo'],
  PORT: ['65536', '-1', '3000.5', '3e3', '0x50', 'http', ' 80', '3000a'],
  METRICS_PORT: ['0', '65536', '-1', 'http'],
  METRICS_HOST: ['http://a', 'a:1', '256.1.1.1', '::1%lo'],
  PUBLIC_URL: [
    'localhost',
    'localhost:3000',
    'ftp://a.test',
    'http://a.test/path',
    'http://a.test?q',
    'http://a.test#f',
    'http://user:secret@a.test',
    '//a.test',
    'http://',
    'javascript:alert(1)',
    'http://a.test:99999',
    'http://a.test:0',
  ],
  ALLOWED_HOSTS: ['a.test:80', 'a.test,', 'http://a.test', '*', '*.a.test'],
  PROVIDER: ['Live', 'Simulator', 'none'],
  DASHBOARD_URL: ['/dashboard', 'javascript:alert(1)', 'app:/in', 'https://user:secret@a.test'],
  RATE_LIMITS: ['true', '0', 'OFF'],
  NEW_STORE: ['off', 'NO', 'false'],
  STRICT: ['true', 'on', 'YES'],
  BUDGETS: ['true', 'yes', 'ON'],
  TIME_LINES: ['true', 'no', 'OFF'],
  TRUSTED_PROXIES: [
    'a.test',
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/1e1',
    '10.0.0.0/0',
    '::/0',
    '10.0.0',
    'loopback',
    'true',
    '*',
  ],
  CORS_ORIGINS: [
    '*',
    'a.test',
    'null',
    'https://a.test/path',
    'capacitor://localhost/path',
    'capacitor://me@localhost',
    'capacitor://*',
    'capacitor:localhost',
    'file://localhost',
    'data://a',
    'javascript://a',
    'blob://a',
    'ws://a.test',
    'wss://a.test:8080',
    'ftp://a.test',
    'https://a.test:99999',
    'capacitor://localhost:99999',
    'capacitor://localhost:0',
  ],
  DOCS: ['yes', '1', 'ON'],
  OPENID: ['yes', 'true', 'ON'],
  OUTBOUND_ALLOW: ['a.test', '10.0.0.0/33', '0.0.0.0/0', '*'],
  TOKEN_LIFETIME: ['30', 'd', '0d', '-1d', '1.5h', '30 d', '1w', '1d1h', '1234567s', 'P30D'],
  RETENTION: ['0s', 'forever', '1m', '119s'],
  WAITERS_MAX: ['-1', '100001', '1e3', '01', 'many'],
  WAITERS_PER_CLIENT: ['-1', '100001', '75%'],
  WAITERS_PER_ADDRESS: ['-1', '100001', '0.75'],
  RETENTION_MAX_ATTEMPTS: ['0', '999', '1000001', '1e5', '-1', '5d', ' 5000'],
  RETENTION_CALLS: ['0s', '25h', 'forever', '100'],
  RETENTION_MAX_CALLS: ['999', '1000001', 'none'],
  DRAIN_TIME: ['0', '-1s', '301s', '1h'],
  RETENTION_AUDIT: ['29d', '719h', 'forever'],
  OTEL_EXPORTER_OTLP_ENDPOINT: ['collector:4318', 'https://u:p@a.test', 'http://a.test/?a=b', '/x'],
  TRACES_RATIO: ['2', '-1', '50%', '1.1', '.5'],
  LOG_LEVEL: ['INFO', 'verbose', '30'],
  DATABASE_URL: ['mysql://a/b', 'postgres://', 'postgres://u:secret@a.test/b', 'postgres:b'],
  SECRET_KEY: [HEX.slice(1), `${HEX}0`, 'g'.repeat(64), 'x'],
  SIMULATOR_TOKEN: ['x'.repeat(15), 'with a blank in it', 'ÿ'.repeat(16)],
};

const OTHER_TESTS = /^(PROVIDER_|OPERATOR_|MIN|RETIRED|.*(?:_KEY|_TOKEN|_URL)_FILE$)/;

const badRows = Object.entries(BAD).flatMap(([name, texts]) =>
  texts.map((text) => [name, text] as const),
);

describe('a bad value is refused by the name of its setting', () => {
  it.each(badRows)('%s=%s', (name, text) => {
    const faults = faultsOf({ ...PROVIDER, [name]: text });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(new RegExp(`^${name} \\S`));
  });

  it.each(['ws://a.test', 'https://a.test:99999', 'tauri://a:99999', '*', 'null', 'app://a/b'])(
    'CORS_ORIGINS=%s, with what is allowed',
    (text) => {
      const [fault] = faultsOf({ CORS_ORIGINS: `https://a.test,${text}` });
      expect(fault).toMatch(/^CORS_ORIGINS must be origins of pages: .*capacitor.* 1 to 65535/);
    },
  );

  it('of PUBLIC_URL with a path says why, and what to do', () => {
    const [fault] = faultsOf({ PUBLIC_URL: 'https://a.test/login/' });
    expect(fault).toMatch(/^PUBLIC_URL must be an origin: .*could read .*host name of its own/);
    expect(faultsOf({ PUBLIC_URL: 'https://a.test?q' })[0]).not.toContain('A path');
  });

  it('covers every setting that has a form', () => {
    const paths = ['DATA_DIR', 'PEOPLE_FILE', 'CLIENTS_FILE'];
    const free = [...paths, 'AUDIT_HEAD_FILE', 'AUDIT_CURSOR_FILE', 'ALLOW_SIMULATOR', 'NODE_ENV'];
    // The others are in config/live.test.ts and config/source/secret-files.test.ts.
    const own = Object.keys(SETTINGS).filter((name) => !OTHER_TESTS.test(name));
    expect([...Object.keys(BAD), ...free].toSorted()).toEqual(own.toSorted());
  });

  it('and all faults are told at once', () => {
    const bad = Object.fromEntries(badRows);
    const faults = faultsOf({ ...bad, MIFTAH_PORT: '1', NODE_ENV: 'production' }, ['--nonsense']);
    for (const name of [...Object.keys(BAD), 'MIFTAH_PORT', '--nonsense', 'production']) {
      expect(faults.join('\n')).toContain(name);
    }
    expect(() => load(bad)).toThrow(/^3\d of the settings can't be used:\n {2}- /);
  });
});

it('nothing is shown of settings that can not be used', () => {
  expect(faultsOf({ PORT: 'x' }, ['--show-config'])).toHaveLength(1);
});

describe('secrets', () => {
  const SECRET = 'canary0123456789canary0123456789';

  it('are in no description of the settings', () => {
    const loaded = loadConfig([], { SECRET_KEY: HEX, SIMULATOR_TOKEN: SECRET });
    const { config } = loaded;
    const shown = [
      describeConfig(loaded),
      JSON.stringify(config),
      inspect(config),
      String(config.secretKey),
    ];
    for (const text of shown) {
      expect(text).not.toContain(HEX);
      expect(text).not.toContain(SECRET);
      expect(text).toContain('[secret]');
    }
  });

  it.each<[string, Environment, readonly string[]]>([
    ['a key', { SECRET_KEY: SECRET }, []],
    ['a key in a flag', {}, ['--secret-key', SECRET]],
    ['a key that was given without its flag', {}, [`SECRET_KEY=${SECRET}`]],
    ['a token', { SIMULATOR_TOKEN: `${SECRET} ` }, []],
    ['the password of an address', { PUBLIC_URL: `http://me:${SECRET}@a.test` }, []],
    [
      'the password of another one',
      { ...PROVIDER, DASHBOARD_URL: `http://me:${SECRET}@a.test` },
      [],
    ],
    ['an unknown variable', { MIFTAH_TOKEN: SECRET }, []],
    ['a real provider’s key', { PROVIDER_APP_KEY: SECRET }, []],
    ['a key of two lines', { PROVIDER_APP_KEY: `two\n${SECRET}` }, []],
    ['a client’s key in a wrong place', { PORT: `mfk_${SECRET}\n` }, []],
    ['a token in a wrong place', { LOG_LEVEL: `Bearer mft_${SECRET}` }, []],
  ])('are in no fault: %s', (_, environment, args) => {
    const faults = faultsOf(environment, args);
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.join('\n')).not.toContain(SECRET);
  });

  it('are not taken from a flag, which every user can read in the list of processes', () => {
    expect(faultsOf({}, ['--secret-key', HEX, '--simulator-token', SECRET])).toEqual([
      '--secret-key would be in the list of processes: set SECRET_KEY in the environment, or ' +
        'SECRET_KEY_FILE',
      '--simulator-token would be in the list of processes: set SIMULATOR_TOKEN in the ' +
        'environment, or SIMULATOR_TOKEN_FILE',
    ]);
  });

  it('are in no fault either when a file holds them', () => {
    const path = fileWith(SECRET);
    const faults = faultsOf({ SECRET_KEY_FILE: path });
    expect(faults).toEqual([
      `SECRET_KEY_FILE ${path}: SECRET_KEY must be 64 hex digits, as \`openssl rand -hex 32\` makes them`,
    ]);
    const other = fileWith(`SECRET_KEY=${SECRET}\nUNKNOWN=${SECRET}\n`);
    expect(faultsOf({}, ['--config', other]).join('\n')).not.toContain(SECRET);
  });
});

describe('where a setting comes from', () => {
  it('a flag wins over the environment, the environment over the file', () => {
    const path = fileWith('PORT=1001\nHOST=localhost\nRETENTION=2h\n# a comment\n\n');
    const config = load({ PORT: '1002', RETENTION: '3h' }, ['--config', path, '--port', '1003']);
    expect(config).toMatchObject({ host: 'localhost', port: 1003, retentionMs: 10_800_000 });
  });

  it('an unknown name in the file is a fault, a name of another program in the environment not', () => {
    const path = fileWith('PORTT=1\n');
    expect(faultsOf({}, ['--config', path])).toEqual([
      `${path} has unknown settings: PORTT (did you mean PORT?)`,
    ]);
    expect(faultsOf({ PORTT: '1', HOME: '/' })).toEqual([]);
  });

  it('a line of a secret that looks like a setting is not shown', () => {
    const path = fileWith('SECRET_KEY=d2hhdCBpcw==\ndGhpcyBzZWNyZXQ=\n');
    const [fault = ''] = faultsOf({}, ['--config', path]);
    expect(fault).toContain('unknown settings: a name that is not shown');
    expect(fault).not.toContain('dGhpcy');
  });

  it('names lines of the file that would be passed over', () => {
    const path = fileWith('PORT=1001\nRATE_LIMITS: off\nPORT=1002\n');
    expect(faultsOf({}, ['--config', path])).toEqual([
      `${path}: line 2 is not NAME=value`,
      `${path}: line 3 sets PORT again, which line 1 has set`,
    ]);
  });

  it('is refused with a character that is no text', () => {
    const path = fileWith('PORT=1002\nDASHBOARD_URL=https://a.test/\0\n');
    expect(faultsOf({}, ['--config', path])).toEqual([
      `--config ${path} can't be read: it has the character U+0000`,
    ]);
  });

  it.each(['MIFTAH_URL', 'MIFTAH_KEY', 'MIFTAH_SCOPE'])(
    'a variable for those who call the service is none, and no setting: %s',
    (name) => {
      expect(faultsOf({ [name]: 'http://127.0.0.1:3000' })).toEqual([]);
      const path = fileWith(`${name}=1\n`);
      expect(faultsOf({}, ['--config', path])).toEqual([`${path} has unknown settings: ${name}`]);
    },
  );

  it('a file that is not there is a fault', () => {
    expect(faultsOf({}, ['--config', join(tmpdir(), 'not-there')])[0]).toContain('ENOENT');
    // A device that has ended at once; it stands for those that never end, and for pipes.
    expect(faultsOf({}, ['--config', '/dev/null'])).toEqual([
      "--config /dev/null can't be read: it is no regular file",
    ]);
  });

  it('give way to the port that was found for PORT=0, and so does what is made of it', () => {
    const { config } = loadConfig(['--port', '0'], { DATA_DIR: 'd' }, { PORT: '4321' });
    const publicUrl = 'http://127.0.0.1:4321';
    expect(config).toMatchObject({ port: 4321, publicUrl, dashboardUrl: `${publicUrl}/dashboard` });
  });

  it.each([['--nonsense'], ['--PORT=1'], ['-p', '1'], ['--port'], ['port'], ['--help=yes']])(
    'an argument that is no flag of ours is a fault: %s',
    (...args) => {
      const faults = faultsOf({}, args);
      expect(faults).toHaveLength(1);
      expect(faults[0]).toContain('--help');
    },
  );

  it.each([
    ['Unknown flag --portt (did you mean --port?). See --help', '--portt', '3001'],
    ['Unknown flag --no-such-flag. See --help', '--no-such-flag=secret-value'],
    ['--port needs a value, as in --port=VALUE. See --help', '--port'],
    ['--port needs a value, as in --port=VALUE. See --help', '--port', '--host'],
    ['--help takes no value. See --help', '--help=yes'],
  ])('is named without its value: %s', (fault, ...args) => {
    expect(faultsOf({}, args)).toEqual([fault]);
  });

  it('every fault is named beside an unknown flag', () => {
    const args = ['--port', '99999', '--data-dri', 'x', '--rate-limits', 'maybe', '--help=no'];
    expect(faultsOf({}, args)).toEqual([
      'Unknown flag --data-dri (did you mean --data-dir?). See --help',
      '--help takes no value. See --help',
      expect.stringMatching(/^PORT /),
      expect.stringMatching(/^RATE_LIMITS /),
    ]);
  });

  it.each([
    [['--strict'], true],
    [['--strict', '--port', '3001'], true],
    [['--port', '3001', '--strict'], true],
    [['--strict=no'], false],
    [['--strict', 'no'], false],
  ])('--strict without a value means yes: %j', (args, isStrict) => {
    expect(loadConfig(args, {}).config.simulator?.isStrict).toBe(isStrict);
  });

  it('an argument without a flag gets the form for npm, and is not repeated', () => {
    const [fault] = faultsOf({}, ['3001']);
    expect(fault).toContain('npm start -- --port 3001');
    expect(faultsOf({}, ['secret-value'])).toEqual([fault]);
  });
});

describe('the simulator', () => {
  it.each<[string, Environment]>([
    ['another address', { HOST: '0.0.0.0', PUBLIC_URL: 'http://localhost' }],
    ['all IPv6 addresses', { HOST: '::', PUBLIC_URL: 'http://localhost' }],
    ['another name', { PUBLIC_URL: 'https://login.example.test' }],
    ['a name that only begins like this machine', { PUBLIC_URL: 'http://localhost.evil.test' }],
    ['a proxy', { TRUSTED_PROXIES: '127.0.0.1' }],
  ])('is not started by default for others: %s', (_, environment) => {
    const [fault, ...others] = faultsOf(environment);
    expect(fault).toContain('set PROVIDER=simulator');
    expect(others).toEqual([]);
    expect(faultsOf({ ...environment, ...PROVIDER })).toEqual([]);
  });

  it.each(['127.0.0.1', '::1', 'localhost'])('is started by default on %s', (host) => {
    expect(faultsOf({ HOST: host })).toEqual([]);
  });

  it('refuses strict mode where browsers would drop its cookie', () => {
    const strict = { ...PROVIDER, STRICT: 'yes' };
    expect(faultsOf({ ...strict, PUBLIC_URL: 'http://login.example.test' })).toEqual([
      'PUBLIC_URL must be https, or http on a loopback address, with STRICT=yes',
    ]);
    expect(faultsOf({ ...strict, PUBLIC_URL: 'https://login.example.test' })).toEqual([]);
    expect(faultsOf({ STRICT: 'yes', PUBLIC_URL: 'http://localhost:3000' })).toEqual([]);
  });

  it.each(['app:/in', 'Com.Example.App:/in', 'com.example.app:in', 'javascript:alert(1)'])(
    'says which scheme an application may have, for %s',
    (DASHBOARD_URL) => {
      expect(faultsOf({ DASHBOARD_URL })).toEqual([
        'DASHBOARD_URL must be an http(s) address, or one with a scheme of the application: a ' +
          'domain in reverse and in lower case, with a dot, then :/ and the path, as in ' +
          `com.example.app:/signed-in (it is "${DASHBOARD_URL}")`,
      ]);
    },
  );

  it('refuses an application’s scheme in strict mode, where its client has a key', () => {
    const scheme = { DASHBOARD_URL: 'com.example.app:/signed-in' };
    expect(faultsOf({ ...scheme, STRICT: 'yes' })[0]).toContain('DASHBOARD_URL must be an http(s)');
    expect(faultsOf(scheme)).toEqual([]);
  });

  it('refuses production, unless it is allowed in so many words', () => {
    expect(faultsOf({ NODE_ENV: 'production' })[0]).toContain('ALLOW_SIMULATOR=yes');
    expect(faultsOf({ NODE_ENV: 'production', ...PROVIDER })).toHaveLength(1);
    for (const word of ['true', '1', 'YES', 'no']) {
      expect(faultsOf({ NODE_ENV: 'production', ALLOW_SIMULATOR: word })).toHaveLength(1);
    }
    expect(faultsOf({ NODE_ENV: 'production', ALLOW_SIMULATOR: 'yes' })).toEqual([]);
  });

  it.each(['PROVIDER_URL', 'PROVIDER_APP_ID', 'PROVIDER_APP_KEY'])(
    'refuses to run beside %s of a real provider',
    (name) => {
      expect(faultsOf({ [name]: 'x', ...PROVIDER })[0]).toContain(name);
    },
  );
});

describe('--help', () => {
  it('names every setting, as variable and, but for secrets, as flag', () => {
    for (const [name, setting] of Object.entries(SETTINGS)) {
      expect(usage()).toContain(` ${name} `);
      const hasFlag = usage().includes(`--${name.toLowerCase().replaceAll('_', '-')} `);
      expect(hasFlag, name).toBe(!('secret' in setting));
    }
    expect(usage()).toContain('--config');
    expect(usage()).toContain('--show-config');
  });

  it('of another command has its own call and flags, and not what it has no use for', () => {
    const text = usage({
      usage: 'miftah dev [--json]',
      about: 'Keeps nothing.',
      switches: [['--json', 'one line']],
      leavesOut: /^DATA_DIR$/,
    });
    expect(text).toMatch(/^Usage: miftah dev \[--json\]\nKeeps nothing\.\n\n/);
    expect(text).toMatch(/^ {2}--json +one line$/m);
    expect(text).not.toContain('DATA_DIR');
    expect(text).toContain(' PORT ');
  });

  it('is answered whatever the settings are', () => {
    expect(loadConfig(['--help'], {}).show).toBe('help');
    expect(loadConfig(['--help'], { PORT: 'x', MIFTAH_X: '1' }).show).toBe('help');
  });
});

describe('DATABASE_URL', () => {
  const url = 'postgres://miftah:sesame@127.0.0.1:5432/miftah';

  it('needs the key that all instances share', () => {
    expect(() => load({ DATABASE_URL: url })).toThrow('SECRET_KEY is required with DATABASE_URL');
    const { database } = load({ DATABASE_URL: url, SECRET_KEY: HEX });
    expect(database).toMatchObject({ database: 'miftah', user: 'miftah' });
    expect(JSON.stringify(database)).not.toContain('sesame');
  });

  it('is refused without showing what is in it', () => {
    const values = { DATABASE_URL: 'postgres://miftah:sesame@:x', SECRET_KEY: HEX };
    expect(() => load(values)).toThrow('DATABASE_URL');
    expect(() => load(values)).not.toThrow('sesame');
  });
});

it.each([
  ['/etc/miftah/miftah.env', 'EACCES', /`systemd-tmpfiles --create miftah\.conf` gives it/],
  ['/etc/miftah/miftah.env', 'ENOENT', /^$/],
  ['rehearsal/miftah.env', 'EACCES', /^$/],
])('what is said of %s after %s', (path, code, said) => {
  expect(wayOut(path, code)).toMatch(said);
});

it('a settings file tells what has changed in it since it was read, by the names alone', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'miftah-settings-')), 'miftah.env');
  onTestFinished(() => rmSync(dirname(path), { recursive: true }));
  writeFileSync(path, `LOG_LEVEL=info\nPORT=3000\nSECRET_KEY=${HEX}\n`);
  const { file } = loadConfig(['--config', path], {});
  expect(file?.changes()).toEqual([]);
  writeFileSync(
    path,
    `# another order\nSECRET_KEY=${'ef'.repeat(32)}\nPORT=3000\nLOG_LEVEL=warn\n`,
  );
  expect(file?.changes()).toEqual([
    `${path} has changed (SECRET_KEY, LOG_LEVEL): it is read at the next start`,
  ]);
  writeFileSync(path, 'LOG_LEVLE=warn\n');
  expect(file?.changes()).toEqual([expect.stringContaining('did you mean LOG_LEVEL?')]);
  rmSync(path);
  expect(file?.changes()).toEqual([expect.stringContaining(`--config ${path} can't be read`)]);
});

it('--help needs no settings file: `miftah-admin start --help` is asked before there is one', () => {
  const args = ['--config', join(tmpdir(), 'miftah-no-such-settings.env'), '--help'];
  expect(loadConfig(args, {}).show).toBe('help');
});

it('a settings file that can not be read is the only fault: what it would have said is not known', () => {
  const missing = join(tmpdir(), 'miftah-no-such-settings.env');
  const environment = { NODE_ENV: 'production', PROVIDER_APP_ID: 'app' };
  expect(faultsOf(environment, ['--config', missing])).toEqual([
    expect.stringMatching(/^--config \S+ can't be read: ENOENT/),
  ]);
});
