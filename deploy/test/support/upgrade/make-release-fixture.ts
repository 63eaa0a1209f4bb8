// Makes the store and the settings of this version as a fixture, which later versions are upgraded
// from in their tests: `npm run fixture:release`, once for each release. Everybody in it is invented,
// and its keys are used nowhere else.

import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';
import { serviceSettings, type Environment } from '../../../../scripts/rehearsal.ts';
import { answerPush, redeemed, signIn } from '../../../../service/test/support/live/live-login.ts';
import { LiveClient, type Started } from '../../../../service/test/support/live/live-client.ts';
import {
  BANK_KEY,
  rehearse,
  type Rehearsal,
} from '../../../../service/test/support/live/rehearsal.ts';
import { findDumpTools } from '../../../../service/test/support/postgres/dump.ts';
import { startPostgres } from '../../../../service/test/support/postgres/server.ts';
import {
  RELEASES,
  type Facts,
  type FixtureAttempt,
  type FixtureToken,
  type StoreKind,
} from './releases.ts';

const PEOPLE = ['amal', 'faisal'];
const BY_PHONE = '1000002201';
const REFUSES = '1000001101';
/** A reserved number, whose signed result names another person. */
const FAILS = '1900000053';
/** The tests of years to come use the tokens. */
const TOKEN_LIFETIME = '3650d';

/** Settings that every test chooses for itself. */
const OF_THE_MACHINE = new Set(['PORT', 'PUBLIC_URL', 'CLIENTS_FILE', 'DATABASE_URL']);

async function fill(rehearsal: Rehearsal): Promise<Facts> {
  const bank = new LiveClient(rehearsal, BANK_KEY);
  const tokens: FixtureToken[] = [];
  for (const person of PEOPLE) {
    const { data } = await redeemed(bank, await signIn(bank, person));
    tokens.push({ token: String(data['token']), isGood: true });
  }
  const revoked = await redeemed(bank, await signIn(bank));
  const token = String(revoked.data['token']);
  await bank.send('/token', { method: 'DELETE', headers: { authorization: `Bearer ${token}` } });
  tokens.push({ token, isGood: false });
  const attempts = await attemptsOf(rehearsal, bank);
  return { version: versionOfThis(), madeAt: Date.now(), tokens, attempts };
}

/** One in each state. */
async function attemptsOf(rehearsal: Rehearsal, bank: LiveClient): Promise<FixtureAttempt[]> {
  const pending = await bank.startRedirect();
  const { started: approved, code } = await signIn(bank);
  const byPhone = await bank.startPhone(BY_PHONE);
  await answerPush(rehearsal, bank, byPhone);
  const refused = await bank.startPhone(REFUSES);
  await answerPush(rehearsal, bank, refused, 'refuse');
  const failing = await bank.startPhone(FAILS);
  await ended(bank, failing);
  return [
    kept(pending, 'pending'),
    kept(approved, 'authenticated', code),
    kept(byPhone, 'authenticated'),
    kept(refused, 'rejected'),
    kept(failing, 'failed'),
  ];
}

function kept(
  { attempt_id, attempt_token }: Started,
  status: string,
  completion_code = '',
): FixtureAttempt {
  return { attempt_id, attempt_token, status, completion_code };
}

async function ended(bank: LiveClient, attempt: Started): Promise<void> {
  while ((await bank.status(attempt)).data['status'] === 'pending');
}

function versionOfThis(): string {
  const file = new URL('../../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

/** Files that are the same for both stores. @returns their folder */
function writeCommon(store: StoreKind, { plan }: Rehearsal, head: string, facts: Facts): string {
  const folder = join(RELEASES, facts.version, store);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const settings = Object.entries({ ...serviceSettings(plan), TOKEN_LIFETIME });
  const lines = settings.filter(([name]) => !OF_THE_MACHINE.has(name));
  const text = lines.map(([name, value]) => `${name}=${value}\n`).join('');
  writeFileSync(join(folder, 'miftah.env'), text);
  copyFileSync(join(plan.folder, 'clients.json'), join(folder, 'clients.json'));
  copyFileSync(head, join(folder, 'audit-head'));
  writeFileSync(join(folder, 'facts.json'), `${JSON.stringify(facts, null, 2)}\n`);
  return folder;
}

function temporary() {
  const path = mkdtempSync(join(tmpdir(), 'miftah-fixture-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

/** Runs a service of this version until it has something of everything. @returns the folder */
async function make(
  store: StoreKind,
  settings: Environment,
  copyStore: (folder: string, dataDir: string) => void | Promise<void>,
): Promise<void> {
  using folder = temporary();
  const head = join(folder.path, 'audit-head');
  await using rehearsal = await rehearse({
    settings: { ...settings, TOKEN_LIFETIME, AUDIT_HEAD_FILE: head },
  });
  const facts = await fill(rehearsal);
  await rehearsal.service.stop();
  await copyStore(writeCommon(store, rehearsal, head, facts), rehearsal.service.dataDir);
}

function copyFile(folder: string, dataDir: string): void {
  const file = join(dataDir, 'miftah.db');
  const database = new DatabaseSync(file);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  writeFileSync(join(folder, 'miftah.db.gz'), gzipSync(readFileSync(file), { level: 9 }));
}

await make('sqlite', {}, copyFile);

const tools = findDumpTools();
if (tools === null) throw new Error('pg_dump and pg_restore are needed');
const server = await startPostgres();
try {
  await make('postgres', { DATABASE_URL: server.url }, (folder) =>
    tools.dump(server.url, join(folder, 'miftah.dump')),
  );
} finally {
  await server.close();
}
