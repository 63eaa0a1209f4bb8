import { existsSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as oidc from 'openid-client';
import { expect, onTestFinished, test } from 'vitest';
import { serviceSettings } from '../../../scripts/rehearsal.ts';
import { temporaryFolder } from '../support/at-end.ts';
import { LiveClient } from '../support/live/live-client.ts';
import { answerPush, logIn } from '../support/live/live-login.ts';
import { BANK_KEY, CLIENTS, rehearse, type Rehearsal } from '../support/live/rehearsal.ts';
import {
  ask,
  beginIn,
  exchange,
  LASTING,
  OPENID_CLIENTS,
  openidBrowser,
  wayBack,
} from '../support/openid/openid-scene.ts';
import { webhookSecret } from '../support/outbound/webhook-receiver.ts';
import { emptyDatabase, SERVER_WARNED } from '../support/postgres/databases.ts';
import { runMiftah } from '../support/programs/operator.ts';
import type { ServiceProcess } from '../support/programs/service-process.ts';
import { contentOfDatabase, contentOfFile } from '../support/store/both-engines.ts';

/** A person of the simulator who is at their phone. */
const FAHAD = '1000002201';

/** By a receiver that answers 410, and by the first look for expired attempts, some time after a start. */
const WRITTEN_LATER: ReadonlySet<string> = new Set(['webhooks_off', 'webhook_sweep']);

const FORGOTTEN = 'says that this service has used a database';

async function openRehearsal(): Promise<Rehearsal> {
  // Its host has no address, so what it is told stays in the store.
  const webhooks = [{ url: 'https://hooks.invalid/miftah', secrets: [webhookSecret(1)] }];
  const bank = { ...CLIENTS.bank, webhooks };
  const rehearsal = await rehearse({
    clients: [bank, CLIENTS.shop, OPENID_CLIENTS.portal],
    settings: { OPENID: 'on', ALLOWED_HOSTS: 'localhost' },
  });
  onTestFinished(() => rehearsal[Symbol.asyncDispose]());
  return rehearsal;
}

/** Somebody signs in at an application that knows OpenID, and it gets a refresh token. */
async function signInByOpenid(origin: string) {
  const browser = openidBrowser();
  const asked = await ask({ origin }, { id: 'portal', isPushed: true, parameters: LASTING });
  const launched = await browser.press(await beginIn(browser, asked));
  const prompt = await browser.follow(launched);
  const decided = await browser.press(prompt, { person: 'amal', decision: 'approve' });
  const handed = await browser.press(decided);
  const { location } = await wayBack(browser, asked, handed.location ?? new URL(origin));
  const tokens = await exchange(asked, location ?? new URL(origin));
  return { config: asked.config, tokens, sub: tokens.claims()?.sub ?? '' };
}

test('a store is moved to a database and back, and everybody goes on', async () => {
  const rehearsal = await openRehearsal();
  const { plan, service } = rehearsal;
  const file = { ...serviceSettings(plan), DATA_DIR: service.dataDir };
  const client = new LiveClient({ service: { origin: rehearsal.origins.service } }, BANK_KEY);
  const token = await logIn(client);
  const open = await client.startPhone(FAHAD);
  const { config, tokens, sub } = await signInByOpenid(rehearsal.origins.service);
  await service.stop();
  const before = contentOfFile(join(service.dataDir, 'miftah.db'));

  const DATABASE_URL = await emptyDatabase();
  const database = { ...file, DATABASE_URL };
  const said = await runMiftah(['move', '--to', 'DATABASE_URL'], database);
  expect(said).toMatchObject({ code: 0, err: SERVER_WARNED });
  expect(said.out).toContain('of the audit log, which is whole');
  expect(said.out + said.err).not.toContain(new URL(DATABASE_URL).password);
  const empty = Object.keys(before).filter((table) => before[table]?.length === 0);
  expect(empty.filter((table) => !WRITTEN_LATER.has(table)).length).toBeLessThan(3);
  expect(await contentOfDatabase(DATABASE_URL)).toEqual(before);
  expect((await runMiftah(['audit', '--verify'], database)).code).toBe(0);
  // Only a service remembers its server: a command may have been given the wrong one.
  expect(existsSync(join(service.dataDir, 'postgres-server.json'))).toBe(false);

  const moved = await startAgain(rehearsal, { DATABASE_URL });
  expect((await client.user(token)).status).toBe(200);
  await answerPush(rehearsal, client, open);
  expect((await client.confirm(open)).status).toBe(200);
  const { data } = await client.redeem(open);
  const renewed = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '');
  const person = await oidc.fetchUserInfo(config, renewed.access_token, sub);
  expect(person).toMatchObject({ sub, given_name: 'Amal' });
  await moved.stop();
  expect((await runMiftah(['audit', '--verify'], database)).code).toBe(0);
  const later = await contentOfDatabase(DATABASE_URL);
  expect(later['audit_log']?.slice(0, before['audit_log']?.length)).toEqual(before['audit_log']);

  const occupied = await runMiftah(['move', '--to', service.dataDir], database);
  expect(occupied.code).toBe(1);
  expect(occupied.err).toContain('move that miftah.db out of the folder');
  renameSync(join(service.dataDir, 'miftah.db'), join(dirname(service.dataDir), 'moved.db'));
  await requireDatabaseNamed(rehearsal, file);
  const back = await runMiftah(['move', '--to', service.dataDir], database);
  expect(back).toMatchObject({ code: 0, err: SERVER_WARNED });
  expect(contentOfFile(join(service.dataDir, 'miftah.db'))).toEqual(later);
  const again = await startAgain(rehearsal, {});
  expect(again.stdout()).not.toContain(FORGOTTEN);
  for (const one of [token, String(data['token'])]) {
    expect((await client.user(one)).status).toBe(200);
  }
  expect(await logIn(client)).not.toBe('');
});

/** DATABASE_URL is forgotten, by a service whose store is in a database. */
async function requireDatabaseNamed(
  rehearsal: Rehearsal,
  file: Record<string, string>,
): Promise<void> {
  const head = { AUDIT_HEAD_FILE: join(temporaryFolder('head'), 'head') };
  const server = join(rehearsal.service.dataDir, 'postgres-server.json');
  const refused = await rehearsal.spawnAgain(head);
  expect((await refused.refused()).code).toBe(2);
  expect(refused.stderr()).toContain(FORGOTTEN);
  expect(refused.stderr()).toContain(server);
  const { code, out } = await runMiftah(['doctor'], { ...file, ...head });
  expect(code).toBe(1);
  const said = out.split('\n').filter((line) => line.startsWith('fault'));
  expect(said).toEqual([expect.stringMatching(/^fault +store\.left_behind /)]);
  for (const words of [FORGOTTEN, 'DATABASE_URL_FILE', '/etc/miftah/secrets/database-url']) {
    expect(out).toContain(words);
    expect(refused.stderr()).toContain(words);
  }
  for (const command of [['audit'], ['backup', join(temporaryFolder('moved'), 'backup.db')]]) {
    expect((await runMiftah(command, file)).err).toContain(FORGOTTEN);
  }
  expect(existsSync(join(rehearsal.service.dataDir, 'miftah.db'))).toBe(false);
}

async function startAgain(
  rehearsal: Rehearsal,
  settings: Record<string, string>,
): Promise<ServiceProcess> {
  const next = await rehearsal.spawnAgain(settings);
  await next.ready();
  return next;
}
