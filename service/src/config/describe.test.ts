import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../config.ts';
import { describeConfig } from './describe.ts';
import { SETTINGS } from './settings.ts';

type Environment = Readonly<Record<string, string>>;

const KEY = 'ab'.repeat(32);

const LIVE: Environment = {
  PROVIDER: 'live',
  PUBLIC_URL: 'https://login.example.test',
  SECRET_KEY: KEY,
  CLIENTS_FILE: 'clients of ours.json',
  RETENTION_MAX_ATTEMPTS: '5000',
  RETENTION_CALLS: '3600s',
  RETENTION_MAX_CALLS: '7000',
  RETENTION_AUDIT: '720h',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
  TRACES_RATIO: '0.5',
  AUDIT_HEAD_FILE: 'head#1',
  PROVIDER_URL: 'https://provider.example.test',
  PROVIDER_PATH_PREFIX: '/',
  PROVIDER_APP_ID: 'the-app-id',
  PROVIDER_APP_KEY: 'the-app-key',
  PROVIDER_ISSUER: 'https://issuer.example.test',
  PROVIDER_AUDIENCE: 'https://login.example.test',
  PROVIDER_AUTHORIZE_ORIGIN: 'https://auth.example.test',
  PROVIDER_MFA_CALLBACK: 'registered',
  PROVIDER_PUSH_LIFETIME: '90s',
  MINIMUM_ASSURANCE: '2',
  RETIRED_SECRET_KEYS: `${'cd'.repeat(32)},${'ef'.repeat(32)}`,
};

const shown = (environment: Environment, args: readonly string[] = []) =>
  describeConfig(loadConfig(args, environment)).split('\n');

const nameOf = (line: string) => /^(?:# )?([A-Z_]+)/.exec(line)?.[1] ?? line;

describe('--show-config', () => {
  it('shows each setting under the name that an operator writes', () => {
    const lines = shown({ SECRET_KEY: KEY, ALLOWED_HOSTS: 'a.test,b.test' }, ['--port', '1234']);
    expect(loadConfig(['--show-config'], {}).show).toBe('config');
    expect(lines).toContain('PORT=1234');
    expect(lines).toContain('PUBLIC_URL=http://127.0.0.1:1234');
    expect(lines).toContain('ALLOWED_HOSTS=a.test,b.test');
    expect(lines).toContain('SECRET_KEY=[secret]');
    expect(lines).toContain('TOKEN_LIFETIME=30d');
    expect(lines).toContain('RATE_LIMITS=on');
    expect(lines).toContain('# CLIENTS_FILE is not set');
  });

  it('shows every setting that counts in the mode, and no other', () => {
    const liveOnly = /^(?:PROVIDER_|MINIMUM_ASSURANCE$)/;
    const simulatorOnly = new Set([
      'STRICT',
      'BUDGETS',
      'TIME_LINES',
      'DASHBOARD_URL',
      'SIMULATOR_TOKEN',
    ]);
    const names = Object.keys(SETTINGS).filter((name) => name !== 'SECRET_KEY_FILE');
    expect(shown({}).map(nameOf)).toEqual(names.filter((name) => !liveOnly.test(name)));
    expect(shown(LIVE).map(nameOf)).toEqual(names.filter((name) => !simulatorOnly.has(name)));
  });

  it('names the file of the secret key, where it came from one', () => {
    const path = fileWith(KEY);
    const lines = shown({ SECRET_KEY_FILE: path });
    expect(lines).toContain(`SECRET_KEY_FILE=${path}`);
    expect(lines.map(nameOf)).not.toContain('SECRET_KEY');
  });

  it('shows what makes a rehearsal of live mode', () => {
    expect(shown({ ...LIVE, ALLOW_SIMULATOR: 'yes' })).toContain('ALLOW_SIMULATOR=yes');
  });

  it.each<Environment>([
    {},
    { HOST: '::1', PORT: '80', ALLOWED_HOSTS: 'a.test,fd00::1', RATE_LIMITS: 'off', DOCS: 'off' },
    {
      STRICT: 'yes',
      BUDGETS: 'on',
      TIME_LINES: 'off',
      CLIENTS_FILE: "it's ours.json",
      RETENTION: '150s',
    },
    { DATA_DIR: String.raw`C:\new'dir$x`, CLIENTS_FILE: 'a\'b"c.json' },
    { PROVIDER: 'simulator', TRUSTED_PROXIES: '10.0.0.0/8,::1/128', LOG_LEVEL: 'debug' },
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

const HIDDEN = Object.fromEntries(
  Object.entries(SETTINGS).filter(([, setting]) => 'secret' in setting),
);

function fileWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-describe-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'settings');
  writeFileSync(path, text);
  return path;
}
