import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { serviceSettings } from '../../../scripts/rehearsal.ts';
import { loadConfig } from '../../src/config/config.ts';
import { createRandom } from '../../src/platform/runtime.ts';
import { openStoreForCommand } from '../../src/program/open-store.ts';
import { ACT } from '../conformance/samples.ts';
import { temporaryFolder } from '../support/at-end.ts';
import { LiveClient } from '../support/live/live-client.ts';
import { redeemed, signIn } from '../support/live/live-login.ts';
import { BANK_KEY } from '../support/live/rehearsal.ts';
import { openRehearsal } from '../support/live/shared-rehearsal.ts';
import { ask, emptyDatabase } from '../support/postgres/databases.ts';
import { runMiftah } from '../support/programs/operator.ts';

type Settings = Readonly<Record<string, string>>;

/** A live service, whose secret changes from one start to the next. */
async function keyed(place: Settings) {
  const rehearsal = await openRehearsal({ settings: place });
  onTestFinished(() => rehearsal[Symbol.asyncDispose]());
  const bank = new LiveClient(rehearsal, BANK_KEY);
  let running = rehearsal.service;
  const { dataDir } = running;
  const before = { ...serviceSettings(rehearsal.plan), DATA_DIR: dataDir, ...place };
  const { secretKey } = rehearsal.plan;
  const changed = { SECRET_KEY: 'cd'.repeat(32), RETIRED_SECRET_KEYS: secretKey };
  const after: Settings = { ...before, ...changed };
  return {
    before,
    after,
    async startChanged() {
      running = await rehearsal.openAgain(changed);
    },
    stop: () => running.stop(),
    async comesBack() {
      const { status, code } = await redeemed(bank, await signIn(bank, 'yara'));
      return `${status} ${code}`.trim();
    },
    /** @returns the user's id */
    async signsIn(): Promise<number> {
      const { data } = await redeemed(bank, await signIn(bank, 'yara'));
      return Number((await bank.user(String(data['token']))).data['id']);
    },
  };
}

async function succeeds(settings: Settings, ...args: string[]): Promise<string> {
  const { code, out, err } = await runMiftah(args, settings);
  expect([code, err]).toEqual([0, '']);
  return out;
}

async function countOfKeptOut({ DATABASE_URL, DATA_DIR = '' }: Settings): Promise<number> {
  const sql = 'SELECT count(*) AS kept FROM erased_people';
  if (DATABASE_URL !== undefined) return Number((await ask(DATABASE_URL, sql))[0]?.['kept']);
  using database = new DatabaseSync(join(DATA_DIR, 'miftah.db'), { readOnly: true });
  return Number(database.prepare(sql).get()?.['kept']);
}

/** As the retention of the log does after some weeks, so that it can't say who was erased. */
async function cutAudit(settings: Settings): Promise<void> {
  const store = await openStoreForCommand(loadConfig([], settings).config, createRandom(), ACT);
  const at = Date.now();
  expect(await store.cutAudit({ before: at + 1, limit: 1000, at })).toBeGreaterThan(0);
  await store.close();
}

test('threat 99: a backup from before the keys changed lets nobody in who was kept out', async () => {
  const { before, after, ...service } = await keyed({});
  const backup = join(temporaryFolder('kept-out'), 'backup');
  const id = String(await service.signsIn());
  await succeeds(before, 'backup', backup);
  await service.stop();
  const rotated = await succeeds(after, 'keys', 'rotate');
  expect(rotated).toContain('Sealed 1 person anew');
  // Without that key the rows of the audit log from its time are proved by nothing.
  expect(rotated).toContain('Leave that key in RETIRED_SECRET_KEYS while the audit log has rows');
  await succeeds(after, 'user', 'erase', id, '--yes', '--keep-out');
  await cutAudit(after);
  const said = await succeeds(after, 'restore', backup);
  expect(said).toContain('WHO WAS ERASED SINCE THE BACKUP IS IN IT');
  await service.startChanged();
  expect(await service.comesBack()).toBe('403 user.disabled');
  await succeeds(after, 'user', 'erase', id, '--yes', '--let-back');
  expect(await countOfKeptOut(after)).toBe(0);
  expect(await service.comesBack()).toBe('200');
  await succeeds(after, 'audit', '--verify');
});

const WAYS = [
  ['SQLite', 'enabled', 'enable'],
  ['PostgreSQL', 'let back', 'erase --yes --let-back'],
  ['SQLite', 'let back', 'erase --yes --let-back'],
  ['PostgreSQL', 'enabled', 'enable'],
] as const;

/** Each store and each way is in the first two. */
test.each(atLength(WAYS, WAYS.slice(0, 2)))(
  'threat 99, in %s: after a rotation of the keys, whoever is %s comes in',
  async (...row) => {
    const [engine, , way] = row;
    const place: Settings = engine === 'SQLite' ? {} : { DATABASE_URL: await emptyDatabase() };
    const { before, after, ...service } = await keyed(place);
    const first = await service.signsIn();
    await succeeds(before, 'user', 'erase', String(first), '--yes', '--keep-out');
    expect(await service.comesBack()).toBe('403 user.disabled');
    await service.stop();
    await succeeds(after, 'keys', 'rotate');
    await succeeds(after, 'audit', '--verify');
    const [command = '', ...options] = way.split(' ');
    await succeeds(after, 'user', command, String(first + 1), ...options);
    expect(await countOfKeptOut(after)).toBe(0);
    await service.startChanged();
    expect(await service.comesBack()).toBe('200');
  },
);
