import { spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { expect, it } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { programFile } from '../../../scripts/program-files.ts';
import { writeClientsFile } from '../../../scripts/rehearsal.ts';
import { temporaryFolder } from '../support/at-end.ts';
import { BANK_KEY, CLIENTS } from '../support/live/rehearsal.ts';
import { openStoreBeside } from '../support/openid/store-beside.ts';
import { runMiftah } from '../support/programs/operator.ts';
import { bearer } from '../support/service/login.ts';
import { STRICT } from '../support/service/strict-login.ts';
import { openTestService } from '../support/service/test-service.ts';

/** `miftah client add | rotate-key | remove`, and what a service does with the file. */

const NAMES = ['--name-ar', 'متجر جديد', '--name-en', 'New shop'];
const RETURN = ['--return-address', 'https://new.example.test/return'];

async function opened() {
  const file = writeClientsFile(temporaryFolder('clients'), [CLIENTS.bank]);
  const settings = { ...STRICT, CLIENTS_FILE: file };
  const service = await openTestService({ settings });
  const environment = { ...settings, DATA_DIR: service.dataDir };
  const run = async (...args: readonly string[]) => {
    const said = await runMiftah(['client', ...args], environment);
    await service.reload();
    return said;
  };
  const statusOf = async (key: string) =>
    (await service.post('/start', { locale: 'en' }, bearer(key))).statusCode;
  const clients = () =>
    (JSON.parse(readFileSync(file, 'utf8')) as { clients: Record<string, unknown>[] }).clients;
  const audit = async () => {
    const store = await openStoreBeside(service);
    return store.readAudit({ after: 0, limit: 100 });
  };
  return { file, run, statusOf, clients, audit, before: clients() };
}

const keyIn = (out: string) => /^key {3}(mfk_[\w-]{43})$/m.exec(out)?.[1] ?? expect.fail(out);

it('a client is added, gets another key, and is removed, with one reload each', async () => {
  const { run, statusOf, clients, audit, file, before } = await opened();
  const added = await run('add', 'new-shop', ...NAMES, ...RETURN);
  expect(added, added.err).toMatchObject({ code: 0, err: '' });
  expect(added.out).toContain(
    `Added new-shop to ${file}. Send the service SIGHUP (under systemd: `,
  );
  const first = keyIn(added.out);
  expect([await statusOf(first), await statusOf(BANK_KEY)]).toEqual([200, 200]);

  const LIMITS = { requests_per_minute: 60, pushes_per_person_per_day: 3 };
  const limited = await run('set-limits', 'new-shop', '--limits', JSON.stringify(LIMITS));
  expect(limited.out).toContain(`Changed the limits of new-shop in ${file}.`);
  expect(clients().at(-1)).toMatchObject({ id: 'new-shop', limits: LIMITS });
  const listed = (await run('list', '--json')).out.trim().split('\n').at(-1) ?? '';
  expect(JSON.parse(listed)).toMatchObject({ id: 'new-shop', limits: LIMITS });
  expect((await run('list')).out).toContain('requests_per_minute 60');
  for (const [limits, said] of [
    ['{"requests_per_minutes":60}', 'did you mean "requests_per_minute"?'],
    ['{"requests_per_minute":6001}', 'must be a whole number from 1 to 6000'],
    ['60', 'must be a JSON object'],
  ] as const) {
    const refused = await run('set-limits', 'new-shop', '--limits', limits);
    expect([refused.code, refused.out, refused.err]).toEqual([
      limits === '60' ? 2 : 1,
      '',
      expect.stringContaining(said),
    ]);
  }
  expect(clients().at(-1)).toMatchObject({ limits: LIMITS });

  const rotated = await run('rotate-key', 'new-shop');
  const second = keyIn(rotated.out);
  expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200]);
  const third = await run('rotate-key', 'new-shop');
  expect(third).toMatchObject({ code: 1, out: '' });
  expect(third.err).toContain('new-shop has 2 keys');

  const retired = await run('rotate-key', 'new-shop', '--retire');
  expect(retired.out).toMatch(/^Took 1 key of new-shop out of [^\n]+:\nhash {2}sha256:/);
  expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);
  expect(await run('rotate-key', 'new-shop', '--retire')).toMatchObject({ code: 1, out: '' });
  expect(readFileSync(file, 'utf8')).not.toContain(second);

  const removed = await run('remove', 'new-shop', '--reason', 'ticket 4711');
  expect(removed.out).toContain('`miftah revoke --client new-shop`');
  expect([await statusOf(second), await statusOf(BANK_KEY)]).toEqual([401, 200]);
  expect(clients()).toEqual(before);
  const rows = (await audit()).filter(({ action }) => action.startsWith('client.'));
  const shown = rows.map(({ action, client, actor, reason }) => [
    action,
    client,
    actor?.replace(/:.*/, ''),
    reason,
  ]);
  // Who has changed the file, and then what the service has read in it.
  const changes = ['added', 'changed', 'changed', 'changed', 'removed'].map(
    (what) => `client.${what}`,
  );
  expect(shown).toEqual(
    changes.flatMap((action) => [
      [action, 'new-shop', 'uid', action === 'client.removed' ? 'ticket 4711' : null],
      [action, 'new-shop', undefined, null],
    ]),
  );
});

it('no other setting has to be good, and what is no row then is said', async () => {
  const { file, clients } = await opened();
  const others = { CLIENTS_FILE: file, PROVIDER: 'live' };
  const said = await runMiftah(['client', 'rotate-key', 'bank'], others);
  expect(said.code).toBe(0);
  expect(said.err).toContain('The audit log has no row of this: ');
  expect(clients()[0]).toMatchObject({ keys: [expect.anything(), expect.anything()] });
  const wrong = await runMiftah(['client', 'remove', 'bank', '--reason', 'of 1000001101'], others);
  expect(wrong).toMatchObject({ code: 2, out: '' });
});

it('the clients of the file are listed, in words or as JSON, and no key of them', async () => {
  const { run, file } = await opened();
  const openid = JSON.stringify({ redirect_uris: ['https://rp.example.test/cb'] });
  await run('add', 'rp', ...NAMES, '--openid', openid);
  const bank = 'bank  confidential  1 key  Example Bank / مصرف المثال\n';
  const all = {
    code: 0,
    err: '',
    out: `${bank}rp  confidential  1 key  OpenID  New shop / متجر جديد\n`,
  };
  expect(await run()).toEqual(all);
  expect(await run('list', '--file', file)).toEqual(all);
  const [, line = ''] = (await run('list', '--json')).out.split('\n');
  expect(JSON.parse(line)).toEqual({
    id: 'rp',
    name: { ar: 'متجر جديد', en: 'New shop' },
    type: 'confidential',
    keys: 1,
    keyless: [],
    return_addresses: [],
    limits: {},
    redirect_uris: ['https://rp.example.test/cb'],
    webhooks: 0,
  });
  expect((await run('lst')).err).toContain("unknown command 'lst'\n(Did you mean list?)");
  const none = await runMiftah(['client', 'list'], {});
  expect(none).toMatchObject({ code: 0, out: '' });
  expect(none.err).toContain('CLIENTS_FILE is not set.');
});

it('a key is made where one is needed, and the entry has what was said', async () => {
  const { run, clients } = await opened();
  const flows = ['--type', 'public', '--code-in', 'fragment', '--keyless', 'oidc'];
  expect((await run('add', 'page', ...NAMES, ...RETURN, ...flows)).out).not.toContain('mfk_');
  const openid = JSON.stringify({ redirect_uris: ['https://rp.example.test/cb'] });
  const limits = '{"pushes_per_minute": 60}';
  keyIn((await run('add', 'rp', ...NAMES, '--limits', limits, '--openid', openid)).out);
  const name = { ar: 'متجر جديد', en: 'New shop' };
  expect(clients().slice(1)).toEqual([
    {
      id: 'page',
      name,
      type: 'public',
      return_addresses: ['https://new.example.test/return'],
      code_in: 'fragment',
      keys: [],
      keyless: ['oidc'],
    },
    {
      id: 'rp',
      name,
      type: 'confidential',
      keys: [expect.stringMatching(/^sha256:/)],
      limits: { pushes_per_minute: 60 },
      openid: { redirect_uris: ['https://rp.example.test/cb'] },
    },
  ]);
});

it('a receiver of webhooks is added with a secret that is shown this once', async () => {
  const { run, clients } = await opened();
  const url = 'https://new.example.test/hook';
  const { out } = await run('add', 'hooked', ...NAMES, ...RETURN, '--webhook', url);
  const [, secret] = /^webhook secret {2}(whsec_\S{44}) {2}https:\S+hook$/m.exec(out) ?? [];
  expect(clients().at(-1)).toMatchObject({ webhooks: [{ url, secrets: [secret] }] });
  expect(out).toContain(
    'give the key to the application and the webhook secret to the receiver, as secrets.',
  );
  const flows = ['--type', 'public', '--code-in', 'fragment', '--keyless', 'oidc'];
  const page = await run('add', 'page', ...NAMES, ...RETURN, ...flows, '--webhook', url);
  expect(page.out).toContain(
    '\nThe webhook secret is shown this once: give it to the receiver alone, as a secret.\n',
  );
  const refused = await run('add', 'other', ...NAMES, ...RETURN, '--webhook', 'http://a.test/');
  expect(refused.err).toContain('"url" must be an https address');
});

it('a link that leads nowhere is told before a key is shown, and stays', async () => {
  const folder = temporaryFolder('clients');
  const file = join(folder, 'clients.json');
  symlinkSync(join(folder, 'gone.json'), file);
  const said = await runMiftah(['client', 'add', 'shop', ...NAMES, ...RETURN, '--file', file], {});
  expect(said).toMatchObject({ code: 1, out: '' });
  expect(said.err).toContain('is a link to ');
  expect(readlinkSync(file)).toContain('gone.json');
});

it('the first client makes the file that CLIENTS_FILE names, which a service starts with', async () => {
  const file = join(temporaryFolder('clients'), 'clients.json');
  const add = ['client', 'add', 'shop', ...NAMES, ...RETURN];
  const typed = await runMiftah([...add, '--file', file], {});
  expect(typed).toMatchObject({ code: 1, out: '' });
  expect(typed.err).toContain(`${file} can't be used:\n  - it is not there (ENOENT)`);
  const said = await runMiftah(add, { CLIENTS_FILE: file });
  expect(said, said.err).toMatchObject({ code: 0, err: '' });
  expect(said.out).toContain(`Added shop to ${file}. It is the first one: the service reads`);
  const service = await openTestService({ settings: { ...STRICT, CLIENTS_FILE: file } });
  const started = await service.post('/start', { locale: 'en' }, bearer(keyIn(said.out)));
  expect(started.statusCode).toBe(200);
  const removed = await runMiftah(['client', 'remove', 'shop'], { CLIENTS_FILE: `${file}.none` });
  expect(removed.err).toContain('it is not there (ENOENT)');
});

it.each([
  [
    ['add', 'new', ...NAMES, ...RETURN, '--limits', '7'],
    2,
    '--limits must be a JSON object, such as',
  ],
  [
    ['add', 'new', ...NAMES, ...RETURN, '--limits', '{"pushes": 1}'],
    1,
    'in "limits": unknown: pushes',
  ],
  [['add', 'bank', ...NAMES, ...RETURN], 1, 'there is a client bank already'],
  [['add', 'New', ...NAMES, ...RETURN], 1, '"id" must be lower-case letters'],
  [['add', 'new', ...NAMES], 1, '"return_addresses" is missing'],
  [['add', 'new', ...NAMES, '--return-address', 'http://a.example/'], 1, '"return_addresses[0]"'],
  [['add', 'new', ...NAMES, '--openid', '[1]'], 2, '--openid must be a JSON object, such as'],
  [
    ['add', 'new', ...NAMES, '--openid', '{"redirect_urls": []}'],
    1,
    'did you mean "redirect_uris"?',
  ],
  [['add', 'new', ...NAMES, ...RETURN, '--type', 'secret'], 2, 'Allowed choices are'],
  [['add', 'new', ...RETURN], 2, "required option '--name-ar"],
  [['rotate-key', 'shop'], 1, 'there is no client "shop": there are bank'],
  [['rotate-key', 'bank', '--retire'], 1, 'bank has no key beside'],
  [['remove', 'shop'], 1, 'there is no client "shop": there are bank'],
  [['remove', 'bank'], 1, '"clients" is empty'],
])('%j changes nothing, makes no key, and is said why', async (args, code, says) => {
  const { run, clients, before } = await opened();
  const said = await run(...args);
  expect(said).toMatchObject({ code, out: '' });
  expect(said.err).toContain(says);
  expect(clients()).toEqual(before);
});

it.each(atLength(['>&-', '>/dev/null'], ['>&-']))(
  'a key that nobody gets to know is not put in: %s',
  (nowhere) => {
    const file = writeClientsFile(temporaryFolder('clients'), [CLIENTS.bank]);
    const before = readFileSync(file, 'utf8');
    for (const args of [
      ['add', 'new', ...NAMES, ...RETURN],
      ['rotate-key', 'bank'],
    ]) {
      const command = [programFile('miftah'), 'client', ...args, '--file', file];
      const shell = ['-c', `"$0" "$@" ${nowhere}`, process.execPath, ...command];
      const { status, stderr } = spawnSync('sh', shell, { encoding: 'utf8' });
      expect([status, stderr]).toEqual([1, expect.stringContaining('nobody reads the output')]);
      expect(readFileSync(file, 'utf8')).toBe(before);
    }
  },
);

it('a file is named, or by the settings', async () => {
  const { file } = await opened();
  const none = await runMiftah(['client', 'remove', 'shop'], {});
  expect(none.err).toContain('CLIENTS_FILE is not set: set it, or say --file PATH');
  const named = await runMiftah(['client', 'rotate-key', 'bank', '--file', file], {});
  expect(named, named.err).toMatchObject({ code: 0 });
  const away = join(file, '../none.json');
  const missing = await runMiftah(['client', 'remove', 'shop', '--file', away], {});
  expect(missing.err).toContain(`${away} can't be used:\n  - it is not there (ENOENT)`);
});
