import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import { prepareStart } from '../../src/program/prepare-start.ts';
import { writeClientsFile } from '../../../scripts/rehearsal.ts';
import { temporaryFolder } from '../support/at-end.ts';
import { linesOf, READ_ANEW, replaceFile, STAYS } from '../support/live/key-files.ts';
import { HOOK_SECRET } from '../support/live/hooked-live.ts';
import { openLive } from '../support/live/live-service.ts';
import { CLIENTS } from '../support/live/rehearsal.ts';
import { diagnosisIn } from '../support/programs/diagnosis.ts';
import { runMiftah } from '../support/programs/operator.ts';
import { findFreePort } from '../support/programs/service-process.ts';

/** Addresses of clients that live mode never calls: who writes one is told so, and not a day later. */

const HERE = 'http://127.0.0.1:4781/hook?key=of-the-receiver';
const NO_HTTPS = 'is never called: it is no https, which only the simulator does without';
const PRIVATE = 'is never called: it is of a private or reserved network that OUTBOUND_ALLOW';
const OPENID = { redirect_uris: ['https://portal.example.test/cb'] };

const hooked = (url: string) => ({ webhooks: [{ url, secrets: [HOOK_SECRET] }] });
const named = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as { clients: object[] };

const ADDED: readonly (readonly [string, readonly string[], string])[] = [
  ['a webhook by http', ['--webhook', HERE], `"webhooks[0]/url" of portal ${NO_HTTPS}`],
  ['one inside', ['--webhook', 'https://10.0.0.5/hook'], `"webhooks[0]/url" of portal ${PRIVATE}`],
  ['one of this machine', ['--webhook', 'https://localhost/hook'], PRIVATE],
  [
    'a logout by http',
    ['--openid', JSON.stringify({ ...OPENID, backchannel_logout_uri: HERE })],
    `"openid/backchannel_logout_uri" of portal ${NO_HTTPS}`,
  ],
  [
    'a ping by http',
    [
      '--openid',
      JSON.stringify({
        ...OPENID,
        backchannel_token_delivery_mode: 'ping',
        backchannel_client_notification_endpoint: HERE,
      }),
    ],
    `"openid/backchannel_client_notification_endpoint" of portal ${NO_HTTPS}`,
  ],
];

async function opened(settings: Record<string, string> = {}, bank: object = {}) {
  const file = writeClientsFile(temporaryFolder('uncalled'), [{ ...CLIENTS.bank, ...bank }]);
  const scene = await openLive({ settings: { ...settings, CLIENTS_FILE: file } });
  const run = (...args: readonly string[]) => runMiftah(args, scene.settings);
  const NAMES = ['--name-ar', 'بوابة', '--name-en', 'Portal'];
  const RETURN = ['--return-address', 'https://portal.example.test/back'];
  const add = (...args: readonly string[]) =>
    run('client', 'add', 'portal', ...NAMES, ...RETURN, ...args);
  return { scene, file, run, add };
}

it.each(ADDED)('%s is refused by client add, which shows no key', async (_, args, said) => {
  const { add, file } = await opened();
  const before = readFileSync(file, 'utf8');
  const refused = await add(...args);
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toContain(said);
  expect(refused.err).not.toContain('of-the-receiver');
  expect(readFileSync(file, 'utf8')).toBe(before);
});

it('an address of OUTBOUND_ALLOW is added', async () => {
  const { add } = await opened({ OUTBOUND_ALLOW: '10.0.0.0/8' });
  const added = await add('--webhook', 'https://10.0.0.5/hook');
  expect(added, added.err).toMatchObject({ code: 0 });
});

it('a reload that brings one changes nothing', async () => {
  const { scene, file } = await opened();
  writeClientsFile(file.replace(/\/[^/]+$/, ''), [{ ...CLIENTS.bank, ...hooked(HERE) }]);
  await scene.reload();
  const [told] = linesOf(scene.log(), STAYS);
  expect(told?.reason).toContain(`"webhooks[0]/url" of bank ${NO_HTTPS}`);
  expect(told?.reason).not.toContain('of-the-receiver');
  expect(scene.log()).not.toContain(READ_ANEW);
});

it('a file of before goes on with it: told at the start and by the doctor, and changed', async () => {
  const { scene, file, run } = await opened({}, hooked(HERE));
  const said = `"webhooks[0]/url" of bank ${NO_HTTPS}`;
  const port = String(await findFreePort());
  const elsewhere = { ...scene.settings, PORT: port, PUBLIC_URL: '', METRICS_PORT: '' };
  const { warnings } = await prepareStart(loadConfig([], elsewhere), []);
  expect(warnings).toContain(`CLIENTS_FILE: ${said}`);
  const { findings } = diagnosisIn(await run('doctor', '--json'));
  const found = findings.filter(({ check }) => check === 'clients');
  expect(found.map(({ severity, what }) => [severity, what])).toEqual([['fault', `${said}.`]]);
  const limited = await run('client', 'set-limits', 'bank', '--limits', '{"pushes_per_minute":5}');
  expect(limited, limited.err).toMatchObject({ code: 0 });
  await scene.reload();
  expect(linesOf(scene.log(), READ_ANEW)[0]?.settings).toEqual(['CLIENTS_FILE']);
  // Another one is not taken beside it.
  const [bank] = named(file).clients;
  const more = { ...bank, ...hooked(`${HERE}&another`) };
  replaceFile(file, JSON.stringify({ clients: [more] }));
  await scene.reload();
  expect(linesOf(scene.log(), STAYS)).toHaveLength(1);
});
