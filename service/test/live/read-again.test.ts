import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SecureContextOptions } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/at-end.ts';
import { certify, type Certified } from '../support/certificate.ts';
import { linesOf, READ_ANEW, replaceFile, STAYS } from '../support/live/key-files.ts';
import { LiveClient } from '../support/live/live-client.ts';
import { logIn } from '../support/live/live-login.ts';
import { openLive } from '../support/live/live-service.ts';
import { somebody } from '../support/live/rotations.ts';
import { ProviderFront } from '../support/live/provider-front.ts';
import { BANK_KEY, rehearse, type Rehearsal } from '../support/live/rehearsal.ts';
import { text } from '../support/provider/area-b.ts';
import { until } from '../support/programs/until.ts';

/** What an operator changes in live mode while the service runs, by SIGHUP. */

const OLD = 'app-key-of-before-0123456789';
const NEW = 'app-key-of-now-0123456789abc';
/** The one that the simulator of a rehearsal asks for. */
const SIMULATOR_KEY = 'rehearsal-app-key';
const WORKERS = 4;
const SIGN_INS_AROUND = 12;

/** People who sign in, one after the other, until the test says that it is enough. */
function keepSigningIn(rehearsal: Rehearsal) {
  const run = { count: 0, isOver: false };
  const work = async () => {
    const client = new LiveClient(rehearsal, BANK_KEY);
    while (!run.isOver) {
      await logIn(client);
      run.count += 1;
    }
  };
  const all = Promise.all(Array.from({ length: WORKERS }, work));
  return {
    more: async () => {
      const enough = run.count + SIGN_INS_AROUND;
      await Promise.race([until(async () => run.count >= enough), all]);
    },
    end: async () => {
      run.isOver = true;
      await all;
    },
  };
}

it('the key of the provider is changed while people sign in, and nobody is refused', async () => {
  const file = join(temporaryFolder('keys'), 'app-key');
  replaceFile(file, OLD);
  const front = await new ProviderFront([OLD]).open();
  await using rehearsal = await rehearse({
    settings: {
      PROVIDER_URL: front.url,
      PROVIDER_APP_KEY: '',
      PROVIDER_APP_KEY_FILE: file,
      RATE_LIMITS: 'on',
    },
  });
  const { service } = rehearsal;
  front.standBefore(rehearsal, SIMULATOR_KEY);
  const people = keepSigningIn(rehearsal);
  await people.more();
  front.accepted = new Set([OLD, NEW]);
  replaceFile(file, `${NEW}\n`);
  service.signal('SIGHUP');
  await until(async () => front.received.includes(NEW));
  await until(async () => front.underWay.get(OLD) === 0);
  front.accepted = new Set([NEW]);
  const before = front.received.length;
  await people.more();
  await people.end();
  expect(new Set(front.received.slice(before))).toEqual(new Set([NEW]));
  expect(front.refused).toBe(0);
  const [told] = linesOf(service.stdout(), READ_ANEW);
  expect(told?.settings).toEqual(['PROVIDER_APP_KEY']);
  expect(service.stdout() + service.stderr()).not.toMatch(new RegExp(`${OLD}|${NEW}`));
});

const FAULTS: readonly (readonly [string, (path: string) => void, string])[] = [
  ['is empty', (path) => writeFileSync(path, ' \n'), 'is empty'],
  [
    'has control characters',
    (path) => writeFileSync(path, `${NEW}\u0007${NEW}`),
    'must be visible ASCII characters',
  ],
  ['is too large', (path) => writeFileSync(path, NEW.repeat(3000)), 'has more than 65536 bytes'],
  ['is not there', () => undefined, 'is not there (ENOENT)'],
  ['is a folder', (path) => mkdirSync(path), 'is a folder'],
  ['is no text', (path) => writeFileSync(path, Uint8Array.of(0xff, 0xfe)), 'does not hold text'],
  [
    'has the secret of another setting',
    (path) => writeFileSync(path, '5e'.repeat(32)),
    'has the secret of another setting',
  ],
];

describe('a file of the key of the provider', () => {
  it.each(FAULTS)('that %s leaves the old one in force', async (_, write, said) => {
    const path = join(temporaryFolder('keys'), 'app-key');
    replaceFile(path, OLD);
    const settings = { PROVIDER_APP_KEY: '', PROVIDER_APP_KEY_FILE: path };
    const scene = await openLive({ settings });
    rmSync(path);
    write(path);
    await scene.reload();
    expect(scene.log()).toContain(STAYS);
    const [told] = linesOf(scene.log(), STAYS);
    expect(told).not.toHaveProperty('err');
    expect(told?.reason).toContain('PROVIDER_APP_KEY');
    expect(told?.reason).toContain(said);
    expect(scene.log()).not.toContain(READ_ANEW);
    expect(scene.log()).not.toContain('clients.reloaded');
    expect(scene.log()).not.toMatch(new RegExp(`${OLD}|${NEW}|${'5e'.repeat(32)}`));
    await scene.bank.startRedirect();
    expect(scene.provider.received('session').at(-1)?.headers['app-key']).toBe(OLD);

    rmSync(path, { recursive: true, force: true });
    replaceFile(path, NEW);
    await scene.reload();
    await scene.bank.startRedirect();
    expect(scene.provider.received('session').at(-1)?.headers['app-key']).toBe(NEW);
  });

  it('is not used while the clients file has a fault', async () => {
    const path = join(temporaryFolder('keys'), 'app-key');
    replaceFile(path, OLD);
    const settings = { PROVIDER_APP_KEY: '', PROVIDER_APP_KEY_FILE: path };
    const scene = await openLive({ settings });
    replaceFile(path, NEW);
    writeFileSync(scene.settings['CLIENTS_FILE'] ?? '', '{}');
    await scene.reload();
    expect(linesOf(scene.log(), STAYS)[0]?.reason).toContain('"clients" must be a list');
    await scene.bank.startRedirect();
    expect(scene.provider.received('session').at(-1)?.headers['app-key']).toBe(OLD);
  });
});

/** A service with the old key, whose provider knows the new one alone. */
async function openWithoutOldKey() {
  const path = join(temporaryFolder('keys'), 'app-key');
  replaceFile(path, OLD);
  const settings = { PROVIDER_APP_KEY: '', PROVIDER_APP_KEY_FILE: path };
  const scene = await openLive({ settings });
  const { provider } = scene;
  for (const operation of ['session', 'push'] as const) {
    const honest = provider.honest(operation);
    provider.answer(operation, (call, response) => {
      if (call.headers['app-key'] === NEW) honest(call, response);
      else text('Authentication failed', 403)(call, response);
    });
  }
  const keysOf = (operation: 'session' | 'push') =>
    provider.received(operation).map(({ headers }) => headers['app-key']);
  return { bank: scene.bank, log: () => scene.log(), path, keysOf };
}

describe('a key that the provider refuses', () => {
  it('is looked up in its file without a signal, and the session is asked for again', async () => {
    const { bank, keysOf, log, path } = await openWithoutOldKey();
    replaceFile(path, NEW);
    await bank.startRedirect();
    await bank.startRedirect();
    expect(keysOf('session')).toEqual([OLD, NEW, NEW]);
    expect(log()).toContain('its file has another one');
    expect(log()).not.toMatch(new RegExp(`${OLD}|${NEW}`));
  });

  it('sends no push a second time', async () => {
    const { bank, keysOf, path } = await openWithoutOldKey();
    replaceFile(path, NEW);
    const refused = await bank.start({ national_id: somebody() });
    expect([refused.status, refused.code]).toEqual([502, 'provider.misconfigured']);
    expect(keysOf('push')).toEqual([OLD]);
    await bank.startPhone(somebody());
    expect(keysOf('push')).toEqual([OLD, NEW]);
  });

  it('stays in force while its file can not be used, which is told once', async () => {
    const { bank, keysOf, log, path } = await openWithoutOldKey();
    replaceFile(path, '');
    for (let asked = 0; asked < 2; asked += 1) {
      expect((await bank.start({})).code).toBe('provider.misconfigured');
    }
    expect(keysOf('session')).toEqual([OLD, OLD]);
    const told = linesOf(log(), 'its file can not be used');
    expect(told.map(({ reason }) => reason)).toEqual([
      expect.stringContaining(`PROVIDER_APP_KEY_FILE ${path} is empty`),
    ]);
  });
});

it('a reload names the settings that have changed, and none where nothing has', async () => {
  const scene = await openLive();
  const file = scene.settings['CLIENTS_FILE'] ?? '';
  const before = readFileSync(file, 'utf8');
  await scene.reload();
  writeFileSync(file, before.replace('Example Bank', 'Sample Bank'));
  await scene.reload();
  await scene.reload();
  const settings = linesOf(scene.log(), READ_ANEW).map((line) => line.settings);
  expect(settings).toEqual([[], ['CLIENTS_FILE'], []]);
});

const filesOf = ({ certificateFile, keyFile }: Certified): SecureContextOptions => ({
  cert: readFileSync(certificateFile),
  key: readFileSync(keyFile),
});

describe('the authorities of NODE_EXTRA_CA_CERTS', () => {
  it('are others after a SIGHUP, and one that was taken out is trusted no more', async () => {
    const folder = temporaryFolder('authorities');
    const [first, second] = ['first', 'second'].map((name) => {
      const issuer = certify(folder, name, `${name}.example`);
      const leaf = filesOf(certify(folder, `${name}-leaf`, 'localhost', { issuer }));
      return { pem: readFileSync(issuer.certificateFile, 'utf8'), leaf };
    }) as [
      { pem: string; leaf: SecureContextOptions },
      { pem: string; leaf: SecureContextOptions },
    ];
    const file = join(folder, 'authorities.pem');
    replaceFile(file, first.pem);
    const front = await new ProviderFront([SIMULATOR_KEY], first.leaf).open();
    const settings = { PROVIDER_URL: front.url, NODE_EXTRA_CA_CERTS: file };
    await using rehearsal = await rehearse({ settings });
    const { service } = rehearsal;
    front.standBefore(rehearsal, SIMULATOR_KEY);
    const bank = new LiveClient(rehearsal, BANK_KEY);
    const codeOf = async () => (await bank.start({})).code;
    const reloaded = async (times: number, said = READ_ANEW) => {
      service.signal('SIGHUP');
      await until(async () => linesOf(service.stdout(), said).length === times);
    };
    expect(await codeOf()).toBe('');

    // The server is certified by an authority that the service does not know yet.
    front.certifyAnew(second.leaf);
    expect(await codeOf()).toBe('provider.misconfigured');
    replaceFile(file, 'no certificate');
    await reloaded(1, STAYS);
    expect(linesOf(service.stdout(), STAYS)[0]?.reason).toBe(
      `NODE_EXTRA_CA_CERTS ${file} can't be used: it has no certificate in PEM`,
    );
    replaceFile(file, `${first.pem}${second.pem}`);
    await reloaded(1);
    expect(linesOf(service.stdout(), READ_ANEW)[0]?.settings).toContain('NODE_EXTRA_CA_CERTS');
    expect(await codeOf()).toBe('');

    // The connection that is there is not used any longer either.
    replaceFile(file, first.pem);
    await reloaded(2);
    expect(await codeOf()).toBe('provider.misconfigured');
    front.certifyAnew(first.leaf);
    expect(await codeOf()).toBe('');
  });
});
