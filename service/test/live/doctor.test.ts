import { createHash } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashClientKey } from '../../src/account/client.ts';
import { MINUTE_MS } from '../../src/values/time.ts';
import { alter } from '../support/attacks/damaged-store.ts';
import { serviceSettings } from '../../../scripts/rehearsal.ts';
import { temporaryFolder } from '../support/at-end.ts';
import { logIn } from '../support/live/live-login.ts';
import { LiveClient } from '../support/live/live-client.ts';
import { BANK_KEY } from '../support/live/rehearsal.ts';
import { openRehearsal, type OpenedRehearsal } from '../support/live/shared-rehearsal.ts';
import { diagnosisIn, severityOf, type Diagnosis } from '../support/programs/diagnosis.ts';
import { miftah } from '../support/programs/operator.ts';
import { openAreaB, raw } from '../support/provider/area-b.ts';

let rehearsal: OpenedRehearsal;
beforeAll(async () => {
  rehearsal = await openRehearsal();
  await logIn(new LiveClient(rehearsal, BANK_KEY), 'amal');
});
afterAll(async () => rehearsal[Symbol.asyncDispose]());

async function examine(settings: Record<string, string> = {}): Promise<Diagnosis> {
  return diagnosisIn(await miftah(rehearsal, ['doctor', '--json'], settings));
}

/** A copy of the stopped service's data, without its log. */
function copyOfStore(): string {
  const folder = temporaryFolder('doctor');
  const source = new DatabaseSync(join(rehearsal.service.dataDir, 'miftah.db'), { readOnly: true });
  source.prepare('VACUUM INTO ?').run(join(folder, 'miftah.db'));
  source.close();
  chmodSync(join(folder, 'miftah.db'), 0o600);
  // As a service leaves it; the mode of the copy alone would make no files beside it.
  const copy = new DatabaseSync(join(folder, 'miftah.db'));
  copy.exec('PRAGMA journal_mode = WAL');
  copy.close();
  return folder;
}

function contentOf(folder: string) {
  return readdirSync(folder).map((name) => {
    const hash = createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
    return `${name} ${hash}`;
  });
}

describe('miftah doctor', () => {
  it('finds no fault beside a running service, and says so to people too', async () => {
    const found = await examine();
    expect(found.findings.filter(({ severity }) => severity === 'fault')).toEqual([]);
    expect(found.code).toBe(0);
    for (const check of ['settings', 'data.folder', 'store.open', 'store.schema']) {
      expect(severityOf(found, check), check).toEqual(['ok']);
    }
    for (const check of ['store.integrity', 'store.binding', 'audit.chain', 'provider.keys']) {
      expect(severityOf(found, check), check).toEqual(['ok']);
    }
    expect(severityOf(found, 'clock')).toEqual(['ok']);
    const { out, code } = await miftah(rehearsal, ['doctor'], { LOGLEVEL: 'warn' });
    expect(code).toBe(0);
    expect(out).toContain('LOGLEVEL in the environment is no setting: did you mean LOG_LEVEL?');
    expect(out).toMatch(/PROVIDER=live\. Set: \d+ from the environment\.$/m);
    expect(out).toMatch(/^ok {7}audit\.chain {7}The audit log is whole up to row \d+\.$/m);
    expect(out).toMatch(/\nFindings: \d+, of them faults: 0, warnings: \d+\.\n$/);
  });

  it('writes nothing, also where no service runs', async () => {
    const folder = copyOfStore();
    const before = contentOf(folder);
    expect((await examine({ DATA_DIR: folder })).code).toBe(0);
    expect(contentOf(folder)).toEqual(before);
    const empty = temporaryFolder('doctor-empty');
    const found = await examine({ DATA_DIR: empty });
    expect([found.code, severityOf(found, 'store.open')]).toEqual([0, ['warning']]);
    expect(readdirSync(empty)).toEqual([]);
    writeFileSync(join(empty, 'other'), '');
    expect(severityOf(await examine({ DATA_DIR: empty }), 'store.open')).toEqual(['fault']);
  });

  it('lists every fault of the settings', async () => {
    const found = await examine({ PORT: 'x', PROVIDER_URL: 'http://provider.example' });
    expect(found.code).toBe(1);
    expect(found.findings.map(({ what }) => what).join('\n')).toMatch(/PORT [^]*PROVIDER_URL /);
    expect(severityOf(found, 'settings')).toEqual(['fault', 'fault']);
  });

  it('tells people a remedy once, below all that it belongs to, and programs each time', async () => {
    const wrong = { PORT: 'x', PROVIDER_URL: 'http://provider.example' };
    const { out } = await miftah(rehearsal, ['doctor'], wrong);
    expect(out).toMatch(
      /^fault .*PORT .*\nfault .*PROVIDER_URL .*\n {27}For each of these 2: Correct it; .*\n$/,
    );
    const { findings } = await examine(wrong);
    expect(findings.map(({ remedy }) => remedy?.slice(0, 11))).toEqual([
      'Correct it;',
      'Correct it;',
    ]);
    const { out: one } = await miftah(rehearsal, ['doctor'], { PORT: 'x' });
    expect(one).toMatch(/^fault .*PORT .*\n {27}Correct it; .*\n$/);
  });

  it('tells no secret', async () => {
    const { out, err } = await miftah(rehearsal, ['doctor']);
    const { plan } = rehearsal;
    for (const secret of [plan.secretKey, BANK_KEY]) expect(out + err).not.toContain(secret);
  });
});

describe('miftah doctor, on the store', () => {
  it.each([
    ['store.schema', 'DELETE FROM schema_migrations WHERE position = 3'],
    ['store.schema', "INSERT INTO schema_migrations VALUES ('9999-later', 9999)"],
    ['audit.chain', 'UPDATE audit_log SET at = at + 1 WHERE sequence = 2'],
  ])('%s: finds the effect of %s', async (check, sql) => {
    const folder = copyOfStore();
    alter(folder, sql);
    const found = await examine({ DATA_DIR: folder });
    expect([found.code, severityOf(found, check)]).toEqual([1, ['fault']]);
  });

  it('store.integrity, store.open: finds a damaged file, and one that is no database', async () => {
    const folder = copyOfStore();
    const file = join(folder, 'miftah.db');
    const whole = readFileSync(file);
    const damaged = Buffer.from(whole);
    damaged.fill(0xa5, 4096 * 4, 4096 * 9);
    writeFileSync(file, damaged);
    const found = await examine({ DATA_DIR: folder });
    expect(found.code).toBe(1);
    const faults = found.findings.filter(({ severity }) => severity === 'fault');
    expect(faults.map(({ check }) => check).join()).toMatch(/^store\.(integrity|open)/);
    writeFileSync(file, 'no database'.repeat(1000));
    expect(severityOf(await examine({ DATA_DIR: folder }), 'store.open')).toEqual(['fault']);
  });

  it('store.key and store.binding: finds another key, and another provider', async () => {
    const key = await examine({ SECRET_KEY: '11'.repeat(32) });
    expect([key.code, severityOf(key, 'store.key')]).toEqual([1, ['fault']]);
    const issuer = await examine({ PROVIDER_ISSUER: 'https://other.example' });
    expect([issuer.code, severityOf(issuer, 'store.binding')]).toEqual([1, ['fault']]);
  });

  it('audit.head: finds a store that is older than its head, and a head that was changed', async () => {
    const folder = temporaryFolder('doctor-head');
    const head = join(folder, 'head');
    const older = copyOfStore();
    await using own = await openRehearsal({ settings: { AUDIT_HEAD_FILE: head } });
    await own.service.stop();
    const settings = { AUDIT_HEAD_FILE: head };
    const there = await miftah(own, ['doctor', '--json'], settings);
    expect(there.out).toMatch(/"check":"audit.head","severity":"ok"/);
    const at = { ...settings, DATA_DIR: older };
    expect((await miftah(own, ['doctor', '--json'], at)).out).toMatch(
      /"check":"audit.head","severity":"fault","what":"The log does not have row/,
    );
    const [form = '', version = '', count = '', ...rest] = readFileSync(head, 'utf8').split(' ');
    // A number that the log has, which the proof in the same line was not made for.
    expect(Number(count)).toBeGreaterThan(1);
    writeFileSync(head, [form, version, '1', ...rest].join(' '));
    expect((await miftah(own, ['doctor', '--json'], settings)).out).toMatch(
      /"check":"audit.head","severity":"fault","what":"[^"]* was changed, or written under a key/,
    );
    expect(severityOf(await examine(), 'audit.head')).toEqual(['warning']);
  });
});

/** A folder that every user may enter: nobody can open a file below any other. */
function openFolder(name: string): string {
  const folder = temporaryFolder(name);
  chmodSync(folder, 0o755);
  return folder;
}

describe('miftah doctor, on files', () => {
  it('data.folder: finds what others may open or write', async () => {
    const folder = copyOfStore();
    chmodSync(join(folder, 'miftah.db'), 0o644);
    expect(severityOf(await examine({ DATA_DIR: folder }), 'data.folder')).toEqual(['fault']);
    chmodSync(join(folder, 'miftah.db'), 0o600);
    chmodSync(folder, 0o770);
    expect(severityOf(await examine({ DATA_DIR: folder }), 'data.folder')).toEqual(['warning']);
    chmodSync(folder, 0o777);
    const found = await examine({ DATA_DIR: folder });
    expect(severityOf(found, 'data.folder')).toEqual(['fault', 'warning']);
  });

  it('secret.key: finds a key file that others may read', async () => {
    const file = join(openFolder('doctor-key'), 'key');
    writeFileSync(file, rehearsal.plan.secretKey, { mode: 0o600 });
    const settings = { SECRET_KEY: '', SECRET_KEY_FILE: file };
    const expected = [
      [0o600, 'ok'],
      [0o640, 'warning'],
      [0o644, 'fault'],
    ] as const;
    for (const [mode, severity] of expected) {
      chmodSync(file, mode);
      expect(severityOf(await examine(settings), 'secret.key'), severity).toEqual([severity]);
    }
  });

  it('secret.file: finds a file of another secret that others may read, if it is for all', async () => {
    const folder = openFolder('doctor-app-key');
    const file = join(folder, 'provider-app-key');
    writeFileSync(file, 'rehearsal-app-key\n', { mode: 0o644 });
    const settings = { PROVIDER_APP_KEY: '', PROVIDER_APP_KEY_FILE: file };
    const open = await examine(settings);
    expect([open.code, severityOf(open, 'secret.file')]).toEqual([1, ['fault']]);
    expect(severityOf(open, 'provider.keys')).toEqual(['ok']);
    const given = { ...settings, CREDENTIALS_DIRECTORY: folder };
    expect(severityOf(await examine(given), 'secret.file')).toEqual(['ok']);
    chmodSync(file, 0o664);
    expect(severityOf(await examine(given), 'secret.file')).toEqual(['fault']);
  });

  it('clients: finds a file that can not be used, and weak entries', async () => {
    const file = join(openFolder('doctor-clients'), 'clients.json');
    const client = {
      id: 'app',
      name: { ar: 'تطبيق', en: 'App' },
      type: 'public',
      return_addresses: ['http://localhost:3000/*'],
      keys: ['mfk_test_simulator', 'a', 'b'].map((text) => hashClientKey(text)),
      keyless: ['mfa'],
    };
    writeFileSync(file, JSON.stringify({ clients: [client] }));
    const weak = await examine({ CLIENTS_FILE: file });
    // The address on this machine is right for a rehearsal.
    expect(severityOf(weak, 'clients').toSorted()).toEqual([
      'fault',
      'warning',
      'warning',
      'warning',
    ]);
    const live = await examine({ CLIENTS_FILE: file, ALLOW_SIMULATOR: '' });
    const all = ['fault', ...Array.from({ length: 4 }, () => 'warning')];
    expect(severityOf(live, 'clients').toSorted()).toEqual(all);
    writeFileSync(file, '{');
    const unread = await examine({ CLIENTS_FILE: file });
    // One cause is one fault: the store is whole.
    const faults = unread.findings.filter(({ severity }) => severity === 'fault');
    expect(faults.map(({ check }) => check)).toEqual(['clients']);
    expect(severityOf(unread, 'store.open')).toEqual(['ok']);
    const webhooks = unread.findings.find(({ check }) => check === 'webhooks');
    expect(webhooks?.remedy).toBe('See the finding `clients` first.');
    chmodSync(file, 0o666);
    expect(severityOf(await examine({ CLIENTS_FILE: file }), 'clients.file')).toEqual(['fault']);
  });
});

describe('miftah doctor, on what is around', () => {
  it('proxies: finds networks that are too wide, and https without a proxy', async () => {
    const wide = await examine({ TRUSTED_PROXIES: '0.0.0.0/1,::/8,10.0.0.0/8' });
    expect(severityOf(wide, 'proxies')).toEqual(['fault', 'fault']);
    const none = await examine({ PUBLIC_URL: 'https://login.example.test' });
    expect(severityOf(none, 'proxies')).toEqual(['warning']);
    expect(severityOf(none, 'metrics')).toEqual(['warning']);
  });

  it('provider: finds one that is away, is no simulator, or refuses', async () => {
    const away = await examine({ PROVIDER_URL: 'http://127.0.0.1:9' });
    expect([away.code, severityOf(away, 'provider.keys')]).toEqual([1, ['fault']]);
    expect(severityOf(away, 'clock')).toEqual([]);
    const elsewhere = await examine({ PROVIDER_PATH_PREFIX: '/nowhere' });
    expect(severityOf(elsewhere, 'provider.keys')).toEqual(['fault']);
    const real = await examine({ ALLOW_SIMULATOR: '' });
    expect(severityOf(real, 'provider.mode')).toEqual(['fault']);
    expect(severityOf(real, 'provider.keys')).toEqual([]);
    const phone = await examine({ PROVIDER_MFA_CALLBACK: '' });
    expect(severityOf(phone, 'provider.phone')).toEqual(['warning']);
  });
});

it('clock: is compared with the time of an answer that is an error, too', async () => {
  const areaB = await openAreaB((call, response) => {
    const date = new Date(Date.now() - 10 * MINUTE_MS).toUTCString();
    const headers = { 'content-type': 'text/plain', date };
    raw('Authentication failed', 403, headers)(call, response);
  });
  const found = await examine({ PROVIDER_URL: areaB.url });
  expect(severityOf(found, 'provider.keys')).toEqual(['fault']);
  expect(severityOf(found, 'clock')).toEqual(['fault']);
  const clock = found.findings.find(({ check }) => check === 'clock');
  expect(clock?.what).toMatch(/^The clock of this machine is (?:59\d|6\d\d) s ahead of /);
});

function against(args: readonly string[] = [], settings: Record<string, string> = {}) {
  return miftah(rehearsal, ['doctor', '--against', rehearsal.simulator.origin, ...args], settings);
}

describe('miftah doctor --against', () => {
  it('ends with 0 where nothing differs, and needs no settings of a service', async () => {
    const only = { CLIENTS_FILE: '', SECRET_KEY: '', PROVIDER_ISSUER: '', DATA_DIR: '/nowhere' };
    const { code, out, err } = await against([], only);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^same {5}reported {4}keys: one set for both flows/m);
    expect(out).toMatch(/The simulator does the same in all \d+ rows\.\n$/);
  });

  it('ends with 1 where something differs, and says what to set', async () => {
    const args = ['--identity', '1000003301'];
    const { code, out, err } = await against(args, { PUSH_STATUS: '201' });
    expect({ code, err }).toEqual({ code: 1, err: '1 of 16 rows differ.\n' });
    expect(out).toMatch(/simulator {2}201\n +there {6}200\n +set {8}PUSH_STATUS=200\n/);
    const other = ['--json', '--identity', '2000005501'];
    const json = await against(other, { PUSH_STATUS: '201' });
    const rows = json.out.trim().split('\n');
    const parsed = rows.map((row) => JSON.parse(row) as Record<string, unknown>);
    expect(parsed.filter(({ differs }) => differs)).toMatchObject([
      { probe: 'push', at: 'status', simulator: '201', there: '200', set: 'PUSH_STATUS=200' },
    ]);
  });

  it.each<[string, readonly string[], Record<string, string>, RegExp]>([
    ['a wrong prefix', ['--prefix', '/nowhere'], {}, /PROVIDER_PATH_PREFIX/],
    ['wrong keys', [], { PROVIDER_APP_KEY: 'another' }, /does not accept the keys/],
    ['no keys', [], { PROVIDER_APP_KEY: '' }, /PROVIDER_APP_KEY is needed/],
    ['an address without TLS', ['--against', 'http://provider.example'], {}, /must be https/],
    ['nobody there', ['--against', 'http://127.0.0.1:9'], {}, /not_sent \(ECONNREFUSED\)/],
    ['a wrong profile', [], { PROFILE: 'none' }, /PROFILE none is not one of/],
  ])('ends with 2 where the provider can not be asked: %s', async (_name, args, settings, said) => {
    const { code, out, err } = await against(args, settings);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(said);
  });

  it('ends with 2 where its options stand alone', async () => {
    const { code, err } = await miftah(rehearsal, ['doctor', '--sign-in']);
    expect([code, err]).toEqual([2, expect.stringContaining('--sign-in belong to --against')]);
  });

  it('tells no secret and no identity', async () => {
    const { out, err } = await against(['--identity', '2000006601'], { PUSH_STATUS: '201' });
    const { PROVIDER_APP_KEY: key = '' } = serviceSettings(rehearsal.plan);
    expect(key).not.toBe('');
    for (const secret of [key, '2000006601']) expect(out + err).not.toContain(secret);
  });
});
