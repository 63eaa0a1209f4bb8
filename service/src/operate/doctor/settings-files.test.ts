import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { certify } from '../../../test/support/certificate.ts';
import { LIVE_SETTINGS } from '../../../test/support/live/live-settings.ts';
import { loadConfig } from '../../config/config.ts';
import { examineSettingsFiles } from './settings-files.ts';

const KEY = 'ab'.repeat(32);
const SOMEBODY = 12_345;

function fileIn(folder: string, text: string, mode: number): string {
  const path = join(folder, 'file');
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

/** Every user may enter it. */
function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-modes-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  return folder;
}

const withSecret = (path: string) => loadConfig([], { SECRET_KEY_FILE: path });
const withSettings = (path: string) => loadConfig(['--config', path], {});
const withClients = (path: string) => loadConfig([], { ...LIVE_SETTINGS, CLIENTS_FILE: path });

const withRoles = (path: string) =>
  loadConfig([], {
    OPERATOR_PORT: '3010',
    OPERATOR_ISSUER: 'https://login.example',
    OPERATOR_CLIENT_ID: 'miftah',
    OPERATOR_CLIENT_SECRET: 'a-secret-of-ours',
    OPERATOR_ROLES_FILE: path,
  });

type Load = (path: string) => ReturnType<typeof loadConfig>;

const isPlace = (what: string) => what.startsWith('SECRET_KEY is');

/** The finding about the file. */
function findingOf(load: Load, path: string, user?: number) {
  const found = examineSettingsFiles(load(path), user).filter(
    ({ what }) => what.includes(path) && !isPlace(what),
  );
  expect(found).toHaveLength(1);
  return found[0];
}

it.each<[string, Load, string, number, string, string | null]>([
  ['a secret', withSecret, KEY, 0o600, 'ok', null],
  ['a secret', withSecret, KEY, 0o604, 'fault', 'chmod o-rwx'],
  ['a secret', withSecret, KEY, 0o620, 'fault', 'chmod 600'],
  ['settings with a secret', withSettings, `SECRET_KEY=${KEY}`, 0o600, 'ok', null],
  ['settings with a secret', withSettings, `SECRET_KEY=${KEY}`, 0o644, 'fault', 'chmod o-rwx'],
  ['settings without one', withSettings, 'PORT=3001', 0o644, 'ok', null],
  ['the roles of operators', withRoles, '{}', 0o644, 'ok', null],
  ['the roles of operators', withRoles, '{}', 0o664, 'fault', 'chmod go-w'],
  ['the roles of operators', withRoles, '{}', 0o606, 'fault', 'chmod go-w'],
  ['settings without one', withSettings, 'PORT=3001', 0o606, 'fault', 'chmod o-w'],
  ['clients', withClients, '{}', 0o640, 'ok', null],
  ['clients', withClients, '{}', 0o644, 'warning', 'chmod o-rwx'],
  ['clients', withClients, '{}', 0o646, 'fault', 'chmod o-w'],
])('%s: %s', (_, load, text, mode, severity, remedy) => {
  const path = fileIn(openFolder(), text, mode);
  const finding = findingOf(load, path);
  expect(finding?.severity).toBe(severity);
  expect(finding?.what).not.toContain(KEY);
  if (remedy === null) expect(finding?.remedy).toBeNull();
  else expect(finding?.remedy).toContain(`${remedy} ${path}`);
});

it.each([
  [0o700, 'ok'],
  [0o710, 'warning'],
  [0o701, 'warning'],
])('a secret that its group may read, below a folder of mode %o', (mode, severity) => {
  const folder = join(openFolder(), 'closed');
  mkdirSync(folder);
  const path = fileIn(folder, KEY, 0o640);
  chmodSync(folder, mode);
  expect(findingOf(withSecret, path)?.severity).toBe(severity);
});

it.each<[string, Load, string]>([
  ['a secret', withSecret, KEY],
  ['settings with a secret', withSettings, `SECRET_KEY=${KEY}`],
])('the group may read %s where root has given it to the service', (_, load, text) => {
  const path = fileIn(openFolder(), text, 0o640);
  const { uid } = statSync(path);
  expect(findingOf(load, path, uid)?.severity).toBe('warning');
  expect(findingOf(load, path, SOMEBODY)?.severity).toBe(uid === 0 ? 'ok' : 'warning');
});

it.each<[string, Load, string]>([
  ['a secret', withSecret, KEY],
  ['settings with a secret', withSettings, `SECRET_KEY=${KEY}`],
  ['clients', withClients, '{}'],
])('nobody reads %s below a folder that they may not enter, or in a volume', (_, load, text) => {
  const folder = openFolder();
  const path = fileIn(folder, text, 0o604);
  expect(findingOf(load, path)?.severity).not.toBe('ok');
  chmodSync(folder, 0o750);
  expect(findingOf(load, path)?.severity).toBe('ok');
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, '..2026'));
  symlinkSync('..2026', join(folder, '..data'));
  expect(findingOf(load, path)?.severity).toBe('ok');
});

it('reads no modes of the clients of a simulation', () => {
  const path = fileIn(openFolder(), '{}', 0o644);
  expect(findingOf((file) => loadConfig([], { CLIENTS_FILE: file }), path)?.severity).toBe('ok');
});

const placeOf = (environment: Record<string, string>, args: string[] = []) =>
  examineSettingsFiles(loadConfig(args, environment))[0]?.what;

it('says where the key is that no file holds', () => {
  const DATA_DIR = openFolder();
  expect(placeOf({ DATA_DIR })).toBe(
    'SECRET_KEY is not set: a start makes one in DATA_DIR if that has no data.',
  );
  writeFileSync(join(DATA_DIR, 'secret.key'), KEY);
  expect(placeOf({ DATA_DIR })).toBe('SECRET_KEY is in DATA_DIR.');
  expect(placeOf({ SECRET_KEY: KEY })).toBe('SECRET_KEY is from the environment.');
  const file = fileIn(openFolder(), `SECRET_KEY=${KEY}`, 0o600);
  expect(placeOf({}, ['--config', file])).toBe(`SECRET_KEY is from ${file}.`);
});

it('a file that has no path any more is not open to others, and refuses no start', () => {
  const path = fileIn(openFolder(), KEY, 0o604);
  const descriptor = openSync(path, 'r');
  onTestFinished(() => closeSync(descriptor));
  rmSync(path);
  expect(findingOf(withSecret, `/dev/fd/${descriptor}`)?.severity).toBe('ok');
});

const authoritiesIn = (path: string, provider: 'live' | 'simulator' = 'live') =>
  findingOf((file) => {
    const loaded = loadConfig([], { NODE_EXTRA_CA_CERTS: file });
    return { ...loaded, config: { ...loaded.config, provider } };
  }, path);

it('names a file of authorities that is not there, or has none', () => {
  const folder = openFolder();
  const missing = authoritiesIn(join(folder, 'missing.pem'));
  expect([missing?.check, missing?.severity]).toEqual(['authorities.file', 'fault']);
  expect(missing?.what).toMatch(/^NODE_EXTRA_CA_CERTS \S+missing\.pem can't be used: .*ENOENT/);
  expect(authoritiesIn(fileIn(folder, 'nothing', 0o644))?.severity).toBe('fault');
  const part = authoritiesIn(fileIn(folder, '-----BEGIN CERTIFICATE-----\n', 0o644));
  expect(part?.what).toMatch(/is not whole: is it being written\?$/);
});

it('names an authority that has ended, and its last day', () => {
  const folder = openFolder();
  const present = certify(folder, 'present', 'present.example');
  expect(authoritiesIn(present.certificateFile)?.severity).toBe('ok');
  const { certificateFile } = certify(folder, 'ended', 'ended.example', { from: -3, until: -1 });
  const ended = authoritiesIn(certificateFile);
  expect(ended?.severity).toBe('warning');
  expect(ended?.what).toMatch(
    /: all its certificates have ended: CN=ended\.example, on \d{4}-\d\d-\d\dT/,
  );
  expect(authoritiesIn(certificateFile, 'simulator')?.severity).toBe('ok');
  const pem = readFileSync(certificateFile, 'utf8');
  const many = authoritiesIn(fileIn(folder, pem.repeat(5), 0o644));
  expect(many?.what).toMatch(
    /: all its certificates have ended: CN=[^;]+(?:; CN=[^;]+){2}, and 2 more\.$/,
  );
});

it('some that have ended are no fault of a file with others, and a few are named', () => {
  const folder = openFolder();
  const pemOf = (name: string, days?: Parameters<typeof certify>[3]) =>
    readFileSync(certify(folder, name, `${name}.example`, days).certificateFile, 'utf8');
  const [present, ended] = [pemOf('present'), pemOf('ended', { from: -3, until: -1 })];
  const few = authoritiesIn(fileIn(folder, present + ended, 0o644));
  expect(few?.severity).toBe('ok');
  expect(few?.what).toMatch(
    /can be used; of its 2 certificates 1 have ended \(CN=ended\.example, on \d{4}[^)]+\)\.$/,
  );
  const many = authoritiesIn(fileIn(folder, present + ended.repeat(5), 0o644));
  expect(many?.what).toMatch(/ can be used; of its 6 certificates 5 have ended\.$/);
});

it('a file of a secret that is not used, because systemd gives another one, is told', () => {
  const folder = openFolder();
  const [copy, outside, settings] = ['secrets_database-url', 'database-url', 'miftah.env'].map(
    (name) => join(folder, name),
  ) as [string, string, string];
  for (const path of [copy, outside]) writeFileSync(path, 'postgres://miftah@localhost/miftah');
  const given = (path: string) => {
    writeFileSync(settings, `SECRET_KEY=${KEY}\nDATABASE_URL_FILE=${path}\n`);
    const environment = { DATABASE_URL_FILE: copy, CREDENTIALS_DIRECTORY: folder };
    return examineSettingsFiles(loadConfig(['--config', settings], environment));
  };
  const isTold = (path: string) => given(path).some(({ what }) => what.includes('is not used'));
  expect(isTold(outside)).toBe(true);
  // As `miftah init` writes it: the file that is copied.
  expect(isTold('/etc/miftah/secrets/database-url')).toBe(false);
});
