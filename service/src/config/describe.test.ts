import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LIVE_SETTINGS } from '../../test/support/live/live-settings.ts';
import { loadConfig } from './config.ts';
import { describeConfig } from './describe.ts';
import { defaultOf, SETTINGS } from './settings.ts';

type Environment = Readonly<Record<string, string>>;

const KEY = 'ab'.repeat(32);

const LIVE: Environment = {
  ...LIVE_SETTINGS,
  CLIENTS_FILE: 'clients of ours.json',
  RETENTION_MAX_ATTEMPTS: '5000',
  RETENTION_CALLS: '3600s',
  RETENTION_MAX_CALLS: '7000',
  RETENTION_AUDIT: '720h',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
  TRACES_RATIO: '0.5',
  AUDIT_HEAD_FILE: 'head#1',
  AUDIT_CURSOR_FILE: 'cursor',
  PROVIDER_MFA_CALLBACK: 'registered',
  PROVIDER_PUSH_LIFETIME: '90s',
  MINIMUM_ASSURANCE: '2',
  RETIRED_SECRET_KEYS: `${'cd'.repeat(32)},${'ef'.repeat(32)}`,
};

const HIDDEN = Object.fromEntries(
  Object.entries(SETTINGS).filter(([, setting]) => 'secret' in setting),
);

const isSecretFile = (name: string) => name.replace(/_FILE$/, '') in HIDDEN && !(name in HIDDEN);

/** Contents of files of secrets, but keys. */
const SAMPLES: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgres://miftah@127.0.0.1/miftah',
};
const SIMULATED: ReadonlySet<string> = new Set(['SIMULATOR_TOKEN']);

const shown = (environment: Environment, args: readonly string[] = []) =>
  describeConfig(loadConfig(args, environment)).split('\n');

const nameOf = (line: string) => /^(?:# )?([A-Z_]+)/.exec(line)?.[1] ?? line;

describe('--show-config', () => {
  it('shows each setting under the name that an operator writes', () => {
    const lines = shown({ SECRET_KEY: KEY, ALLOWED_HOSTS: 'a.test,b.test' }, ['--port', '1234']);
    expect(loadConfig(['--show-config'], {}).show).toBe('config');
    expect(lines).toContain('PORT=1234  # from --port');
    expect(lines).toContain('PUBLIC_URL=http://127.0.0.1:1234  # default');
    expect(lines).toContain('ALLOWED_HOSTS=a.test,b.test  # from the environment');
    expect(lines).toContain('SECRET_KEY=[secret]  # from the environment');
    expect(lines).toContain('TOKEN_LIFETIME=30d  # default');
    expect(lines).toContain('RATE_LIMITS=on  # default');
    expect(lines).toContain('# CLIENTS_FILE is not set');
  });

  it('shows every setting that counts in the mode, and no other', () => {
    const liveOnly = /^(?:PROVIDER_|MINIMUM_ASSURANCE$)/;
    const simulatorOnly = new Set([
      'STRICT',
      'BUDGETS',
      'TIME_LINES',
      'PEOPLE_FILE',
      'DASHBOARD_URL',
      'SIMULATOR_TOKEN',
    ]);
    const names = Object.keys(SETTINGS).filter((name) => !isSecretFile(name));
    expect(shown({}).map(nameOf)).toEqual(names.filter((name) => !liveOnly.test(name)));
    expect(shown(LIVE).map(nameOf)).toEqual(names.filter((name) => !simulatorOnly.has(name)));
  });

  it.each(Object.keys(HIDDEN))('names the file of %s, where it came from one', (name) => {
    const path = fileWith(SAMPLES[name] ?? '12'.repeat(32));
    const base = SIMULATED.has(name) ? {} : LIVE;
    const lines = shown({ ...base, SECRET_KEY: KEY, [name]: '', [`${name}_FILE`]: path });
    expect(lines).toContain(`${name}_FILE=${path}  # from the environment`);
    expect(lines.map(nameOf)).not.toContain(name);
  });

  it('says where each setting is from', () => {
    const path = fileWith('HOST=localhost\nPORT=1001\nRETENTION=2h\nLOG_LEVEL=debug\n');
    const args = ['--config', path, '--port', '1003', '--log-level=info'];
    const loaded = loadConfig(args, { RETENTION: '3h', DOCS: '' }, { DATA_DIR: './fixed' });
    const lines = describeConfig(loaded).split('\n');
    for (const line of [
      `HOST=localhost  # from ${path}`,
      'RETENTION=3h  # from the environment',
      'PORT=1003  # from --port',
      'LOG_LEVEL=info  # from --log-level',
      'DATA_DIR=./fixed  # set by this command',
      'DOCS=on  # default',
    ]) {
      expect(lines).toContain(line);
    }
    const lan = describeConfig(loadConfig(['--lan'], {}, {}, () => ['192.168.1.7'])).split('\n');
    expect(lan).toContain('PROVIDER=simulator  # from --lan');
  });

  it('shows the defaults that the settings name, and no other ones but those that depend', () => {
    // An empty variable is not set.
    const live = { ...LIVE, MINIMUM_ASSURANCE: '', PROVIDER_PUSH_LIFETIME: '' };
    const lines = [...shown({}), ...shown(live)].filter((line) => line.endsWith('  # default'));
    const named = Object.keys(SETTINGS).flatMap((name) => {
      const value = defaultOf(name);
      return value === undefined ? [] : [`${name}=${value}  # default`];
    });
    const others = lines.filter((line) => !named.includes(line)).map(nameOf);
    expect(lines).toEqual(expect.arrayContaining(named));
    expect([...new Set(others)].toSorted()).toEqual([
      'DASHBOARD_URL',
      'DOCS',
      'PUBLIC_URL',
      'WAITERS_PER_ADDRESS',
      'WAITERS_PER_CLIENT',
    ]);
  });

  it('shows what makes a rehearsal of live mode', () => {
    expect(shown({ ...LIVE, ALLOW_SIMULATOR: 'yes' })).toContain(
      'ALLOW_SIMULATOR=yes  # from the environment',
    );
  });

  it.each<Environment>([
    {},
    { HOST: '::1', PORT: '80', ALLOWED_HOSTS: 'a.test,fd00::1', RATE_LIMITS: 'off', DOCS: 'off' },
    {
      STRICT: 'yes',
      BUDGETS: 'on',
      TIME_LINES: 'off',
      PEOPLE_FILE: 'people.json',
      CLIENTS_FILE: "it's ours.json",
      RETENTION: '150s',
    },
    { DATA_DIR: String.raw`C:\new'dir$x`, CLIENTS_FILE: 'a\'b"c.json' },
    { PROVIDER: 'simulator', TRUSTED_PROXIES: '10.0.0.0/8,::1/128', LOG_LEVEL: 'debug' },
    { OPENID: 'on', OUTBOUND_ALLOW: '10.0.0.0/8,fd00::1' },
    { ALLOW_SIMULATOR: 'yes', NODE_ENV: 'production', TOKEN_LIFETIME: '36h' },
    LIVE,
  ])('is a file of settings that has the same effect: %j', (environment) => {
    const secrets = Object.entries(environment).filter(([name]) => name in HIDDEN);
    const lines = shown(environment).filter((line) => !(nameOf(line) in HIDDEN));
    const { config } = loadConfig(
      ['--config', fileWith(lines.join('\n'))],
      Object.fromEntries(secrets),
    );
    expect(config).toEqual(loadConfig([], environment).config);
  });
});

function fileWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-describe-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'settings');
  writeFileSync(path, text);
  return path;
}
