import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { root } from '../../../scripts/run.mjs';
import { findFreePort } from '../../../service/test/support/programs/service-process.ts';
import { blocksOf } from '../support/going-live/page.ts';
import { installed, temporaryFolder } from '../support/init/installed.ts';
import { commandsOf } from '../support/systemd/page.ts';

const APP_KEY = 'canary-app-key-0123456789';

/** A provider that is no simulator, as far as the doctor asks: it publishes a signing key. */
async function openProvider(): Promise<string> {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = { ...publicKey.export({ format: 'jwk' }), kid: 'a', alg: 'RS256', use: 'sig' };
  const server = createServer((_, answer) => {
    answer.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [key] }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** All flags of live mode, and files with the provider's credentials. */
function liveFlags(folder: string, provider: string): string[] {
  const [id, key] = [join(folder, 'given-id'), join(folder, 'given-key')];
  writeFileSync(id, 'canary-app-id\n', { mode: 0o600 });
  writeFileSync(key, `${APP_KEY}\n`, { mode: 0o600 });
  const flags = {
    'public-url': 'https://login.example.test',
    'provider-url': provider,
    'provider-path-prefix': '/',
    'provider-app-id-file': id,
    'provider-app-key-file': key,
    'provider-issuer': 'https://provider.example.test',
    'provider-audience': 'https://login.example.test',
    'provider-authorize-origin': 'https://sign-in.example.test',
    'provider-mfa-callback': 'registered',
    'client-id': 'bank',
    'client-name-en': "Bank of 'Example'",
    'client-name-ar': 'مصرف المثال',
    'client-return-address': 'https://bank.example.test/a, https://bank.example.test/b',
  };
  return Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
}

/** What is left after `miftah init --systemd`, as it says, and as both pages say. */
const AFTER_INIT = [
  'systemd-sysusers miftah.conf',
  'systemd-tmpfiles --create miftah.conf',
  'ln -sf /opt/miftah/share/deploy/systemd/miftah-admin /usr/local/sbin/miftah-admin',
  'systemctl daemon-reload',
];

const filesIn = (folder: string) =>
  existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted() : [];

describe('miftah init', () => {
  it('writes live mode, and the doctor finds nothing before and after the first start', async () => {
    const miftah = await installed();
    const folder = temporaryFolder();
    const dir = join(folder, 'settings');
    const [port, metrics] = [await findFreePort(), await findFreePort()];
    const ports = ['--port', String(port), '--metrics-port', String(metrics)];
    const flags = [...liveFlags(folder, await openProvider()), ...ports];
    const made = await miftah.miftah(['init', '--yes', '--dir', dir, ...flags]);
    expect({ code: made.code, err: made.err }).toEqual({ code: 0, err: '' });
    expect(made.out + made.err).not.toContain('canary');
    const settings = join(dir, 'miftah.env');
    expect(readFileSync(settings, 'utf8')).not.toMatch(/canary|ALLOW_SIMULATOR|LOG_LEVEL/);
    const examine = () => miftah.miftah(['--config', settings, 'doctor']);
    const before = await examine();
    expect(before.code).toBe(0);
    expect(before.out.match(/^(?:warning|fault).*$/gm)).toEqual([
      expect.stringMatching(/^warning {2}store\.open .* is empty: the first start makes a store/),
    ]);
    const service = miftah.start('miftah', ['start', '--config', settings]);
    await service.answers(`http://login.example.test:${port}/livez`);
    const after = await examine();
    expect([after.code, after.out.match(/^(?:warning|fault).*$/gm)]).toEqual([0, null]);
    expect(await service.stop()).toBe(0);
    expect(service.said + after.out).not.toContain(APP_KEY);
  });

  it('overwrites nothing, and says what is there before it asks', async () => {
    const miftah = await installed();
    const folder = temporaryFolder();
    const dir = join(folder, 'settings');
    mkdirSync(join(dir, 'secrets'), { recursive: true });
    writeFileSync(join(dir, 'miftah.env'), 'PORT=1\n');
    writeFileSync(join(dir, 'secrets', 'other'), 'x\n');
    const { code, err } = await miftah.miftah(['init', '--yes', '--dir', dir]);
    expect(code).toBe(2);
    expect(err).toMatch(/^miftah: Nothing was written:\n/);
    for (const path of ['miftah.env', 'secrets/other']) {
      expect(err).toContain(`${join(dir, path)} is there already: move it away`);
    }
    expect(filesIn(dir)).toEqual(['miftah.env', 'secrets', 'secrets/other']);
    expect(readFileSync(join(dir, 'miftah.env'), 'utf8')).toBe('PORT=1\n');
  });

  it.each<[string, string[], RegExp]>([
    [
      'an address without TLS',
      ['--public-url', 'http://login.example.test'],
      /--public-url must be/,
    ],
    [
      'a missing file',
      ['--provider-app-key-file', '/not/there'],
      /\/not\/there names a file that is/,
    ],
    ['a wrong application', ['--client-id', 'No Id'], /--client-id must be lower-case/],
    [
      'a name that no settings hold',
      ['--provider-service', 'a\'b`c"d'],
      /Nothing was written:\n {2}- --provider-service has quotation marks of every kind: use fewer/,
    ],
    ['a port that two want', ['--port', '9464'], /METRICS_PORT must be another port than PORT/],
    ['a folder that no settings hold', ['--dir', 'a"b'], /"a\\"b" has a character/],
    ['a unit elsewhere', ['--systemd'], /--systemd reads \/etc\/miftah: leave out --dir/],
    ['a secret in a flag', ['--provider-app-key', APP_KEY], /unknown option '--provider-app-key'/],
  ])('refuses %s with one message, before anything is written', async (_, flags, said) => {
    const miftah = await installed();
    const folder = temporaryFolder();
    const all = [
      ...liveFlags(folder, 'https://provider.example.test'),
      '--dir',
      'settings',
      ...flags,
    ];
    const before = filesIn(folder);
    const { code, err, out } = await miftah.miftah(['init', '--yes', ...all], { cwd: folder });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err.replace(/"\/[^"]*\/a/, '"a')).toMatch(said);
    expect(err).not.toContain('canary');
    expect(filesIn(folder)).toEqual(before);
  });

  it('what is left after --systemd is the same in both pages', () => {
    const first = blocksOf('docs/going-live.md').find(({ kind }) => kind === 'booted');
    expect(first?.script).toContain(`${AFTER_INIT.join('\n')}\n`);
    expect(commandsOf('Install').join('').split('\n')).toEqual(expect.arrayContaining(AFTER_INIT));
  });

  it('--systemd writes the unit, with the owners that it needs', async () => {
    const miftah = await installed();
    const folder = temporaryFolder();
    const system = join(folder, 'root');
    mkdirSync(join(system, 'etc'), { recursive: true });
    writeFileSync(join(system, 'etc', 'passwd'), 'miftah:x:4242:4343::/:/usr/sbin/nologin\n');
    const flags = liveFlags(folder, 'https://provider.example.test');
    const ports = ['--host', '::1', '--port', '3100', '--metrics-port', '9164'];
    const args = ['init', '--yes', '--systemd', '--root', system, ...ports, ...flags];
    const { code, out, err } = await miftah.miftah(args);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/enable --now miftah\n/);
    for (const line of AFTER_INIT) {
      expect([line, out.includes(`  ${line}\n`)]).toEqual([line, true]);
    }
    for (const [name, path] of [
      ['miftah.service', 'etc/systemd/system/miftah.service'],
      ['miftah-port.service', 'etc/systemd/system/miftah-port.service'],
      ['miftah.sysusers', 'etc/sysusers.d/miftah.conf'],
      ['miftah.tmpfiles', 'etc/tmpfiles.d/miftah.conf'],
    ] as const) {
      const kit = readFileSync(join(root, 'deploy', 'systemd', name), 'utf8');
      expect(readFileSync(join(system, path), 'utf8')).toBe(kit);
      expect(commandsOf('Install').join('')).toContain(`install -D -m 644 ${name} /${path}\n`);
    }
    const socket = readFileSync(join(system, 'etc/systemd/system/miftah.socket'), 'utf8');
    expect(socket.match(/^ListenStream=.*$/gm)).toEqual([
      'ListenStream=[::1]:3100',
      'ListenStream=127.0.0.1:9164',
    ]);
    const settings = readFileSync(join(system, 'etc/miftah/miftah.env'), 'utf8');
    expect(settings).toContain('\nSECRET_KEY_FILE=/etc/miftah/secrets/secret-key\n');
    expect(settings).toContain('\nDATA_DIR=/var/lib/miftah\n');
    const isRoot = process.getuid?.() === 0;
    const rights = (path: string) => {
      const { uid, gid, mode } = statSync(join(system, path));
      return `${isRoot ? `${uid}:${gid} ` : ''}${(mode & 0o777).toString(8)}`;
    };
    const expected = isRoot
      ? {
          'etc/miftah': '0:4343 750',
          'etc/miftah/miftah.env': '0:4343 640',
          'etc/miftah/clients.json': '0:4343 640',
          'etc/miftah/secrets': '0:0 700',
          'etc/miftah/secrets/secret-key': '0:0 600',
          'var/lib/miftah': '4242:4343 700',
          'var/lib/miftah-head': '4242:4343 700',
        }
      : { 'etc/miftah': '700', 'etc/miftah/miftah.env': '600', 'etc/miftah/secrets': '700' };
    const found = Object.keys(expected).map((path) => [path, rights(path)]);
    expect(Object.fromEntries(found)).toEqual(expected);
  });
});
