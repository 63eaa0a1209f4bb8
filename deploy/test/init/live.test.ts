import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
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

  it('the pages install the unit by the same commands', () => {
    const first = blocksOf('docs/going-live.md').find(({ kind }) => kind === 'booted');
    const lines = (first?.script ?? '').trim().split('\n');
    const untilStart = lines.slice(0, lines.indexOf('miftah-admin doctor'));
    const [install = ''] = commandsOf('Install');
    expect(untilStart.toSorted()).toEqual(install.trim().split('\n').toSorted());
    expect(untilStart).toContain('systemd-tmpfiles --create miftah.conf');
  });
});
