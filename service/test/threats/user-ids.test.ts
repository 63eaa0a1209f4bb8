import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/platform/runtime.ts';
import { temporaryFolder } from '../support/at-end.ts';
import { ask, copyOf, emptyDatabase } from '../support/postgres/databases.ts';
import { PostgresPair } from '../support/postgres/pair.ts';
import type { ApiClient } from '../support/programs/api-client.ts';
import { clientForTest, startServiceForTest } from '../support/programs/for-test.ts';
import { runMiftah } from '../support/programs/operator.ts';
import { openListening } from '../support/service/listening-service.ts';

const SECRET_KEY = 'ab'.repeat(32);
const [BEFORE, SINCE, LATER, LAST] = ['1000001101', '1000002201', '1000003301', '1000004401'];
/** PostgreSQL writes down the next 32 numbers of a sequence at once, so a standby has them too. */
const LOGGED_AHEAD = 32;
const FAILOVER_MS = 240_000;
const DAY_MS = 86_400_000;
const OF_A_YEAR = 315_360_000_000;

type Settings = Readonly<Record<string, string>>;

async function idOf(client: ApiClient, person = BEFORE): Promise<number> {
  const attempt = await client.start({ national_id: person, locale: 'en' });
  await client.post('/complete-mfa', { attempt_id: attempt.attempt_id });
  const { id } = (await client.token(attempt)).user;
  expect(Number.isSafeInteger(id)).toBe(true);
  return id;
}

/** Signs each of the people in, on a service of its own, and stops it. */
async function idsOf(settings: Settings, people: readonly (string | undefined)[]) {
  const service = await openListening({ settings });
  const client = clientForTest(service);
  const ids: number[] = [];
  for (const person of people) ids.push(await idOf(client, person));
  await service.stop();
  return ids;
}

async function said(settings: Settings, ...args: string[]): Promise<string> {
  const { code, out, err } = await runMiftah(args, settings);
  expect([code, err]).toEqual([0, '']);
  return out;
}

function skippedIn(out: string): number {
  return Number(/New users get ids above (\d+):/.exec(out)?.[1]);
}

function folder(head?: string): Settings {
  const place = temporaryFolder('user-ids');
  const AUDIT_HEAD_FILE = head ?? join(place, 'audit-head');
  return { SECRET_KEY, DATA_DIR: join(place, 'data'), AUDIT_HEAD_FILE };
}

/** A backup, and what the store gave after it. */
async function backedUp() {
  const settings = folder();
  await idsOf(settings, [BEFORE]);
  const backup = join(temporaryFolder('backup'), 'backup.db');
  await said(settings, 'backup', backup);
  const [given = 0] = await idsOf(settings, [SINCE]);
  return { settings, backup, given };
}

async function usersIn(url: string): Promise<number> {
  return (await ask(url, 'SELECT 1 FROM users')).length;
}

/**
 * As many sign-ins of people who are known may use up. Those take over a minute on a busy machine, and
 * an instance that has kept the head of a longer log than a promoted standby has ends itself.
 */
async function useUp(url: string, ids: number): Promise<void> {
  await ask(url, "SELECT nextval('users_id_seq') FROM generate_series(1, $1::int)", [ids]);
}

/** Far apart: what the one gives does not come near to the other. */
function expectApart(places: readonly number[]) {
  const [one = Number.NaN, other = Number.NaN] = places;
  expect(Math.min(one, other)).toBeGreaterThan(OF_A_YEAR);
  expect(Math.abs(one - other)).toBeGreaterThan(1000);
}

async function yesterday<Result>(work: () => Promise<Result>): Promise<Result> {
  const behind = systemClock.now() - DAY_MS;
  const clock = vi.spyOn(systemClock, 'now').mockReturnValue(behind);
  try {
    return await work();
  } finally {
    clock.mockRestore();
  }
}

/** The server has the clock of this machine, so the log is set ahead instead. */
async function lastIdBehindItsLog(url: string): Promise<number> {
  await ask(url, 'ALTER TABLE audit_log DISABLE TRIGGER USER');
  await ask(url, 'UPDATE audit_log SET at = at + $1', [DAY_MS]);
  await ask(url, 'INSERT INTO users (issuer) SELECT issuer FROM users WHERE false');
  const [last] = await ask<{ id: string }>(url, 'SELECT last_user_id() AS id');
  return Number(last?.id);
}

describe('threat 97: an id that an application holds is never another person’s', () => {
  it('in a file that is restored where nothing is known', async () => {
    const { backup, given } = await backedUp();
    const machine = folder();
    const skipped = skippedIn(await said(machine, 'restore', backup));
    expect(skipped).toBeGreaterThan(given + 9_999_990);
    const [known, next] = await idsOf(machine, [BEFORE, LATER]);
    expect(known).toBeLessThan(given);
    // A sign-in of somebody who is known may use a number up.
    expect(next).toBeGreaterThan(skipped);
  });

  it('in a file that is restored over the store that went on', async () => {
    const { settings, backup, given } = await backedUp();
    expect(await said(settings, 'restore', backup)).not.toContain('New users get ids');
    expect(await idsOf(settings, [LATER])).toEqual([given + 1]);
  });

  it('in a file that is restored over another store, or beside a head that is ahead of it', async () => {
    const { settings, backup, given } = await backedUp();
    // Somebody has started the service in an empty folder before they restored.
    const other = folder();
    await idsOf(other, [LAST]);
    expect(skippedIn(await said(other, 'restore', backup))).toBeGreaterThan(given);

    const copy = folder(settings['AUDIT_HEAD_FILE']);
    await said({ ...copy, AUDIT_HEAD_FILE: '' }, 'restore', backup);
    rmSync(join(String(copy['DATA_DIR']), 'miftah.db'));
    copyFileSync(backup, join(String(copy['DATA_DIR']), 'miftah.db'));
    expect(skippedIn(await said(copy, 'restore', backup))).toBeGreaterThan(given);
    expect((await idsOf(copy, [LATER]))[0]).toBeGreaterThan(given);
  });

  it('beside a head that knows a higher id than the time since the backup allows for', async () => {
    const settings = folder();
    await idsOf(settings, [BEFORE]);
    const backup = join(temporaryFolder('backup'), 'backup.db');
    await said(settings, 'backup', backup);
    const database = new DatabaseSync(join(String(settings['DATA_DIR']), 'miftah.db'));
    database.exec("UPDATE sqlite_sequence SET seq = 5000000000 WHERE name = 'users'");
    database.close();
    const [given = 0] = await idsOf(settings, [SINCE]);
    expect(given).toBe(5_000_000_001);
    const machine = folder(settings['AUDIT_HEAD_FILE']);
    expect(skippedIn(await said(machine, 'restore', backup))).toBeGreaterThan(given);
  });

  it('in a database that pg_restore has restored, with the command and without it', async () => {
    const settings = { ...folder(), DATABASE_URL: await emptyDatabase() };
    await idsOf(settings, [BEFORE]);
    const [restored, unnoticed] = [
      await copyOf(settings.DATABASE_URL),
      await copyOf(settings.DATABASE_URL),
    ];
    await useUp(settings.DATABASE_URL, LOGGED_AHEAD + 9);
    const given = Number((await idsOf(settings, [SINCE])).at(-1));

    const there = { ...settings, DATABASE_URL: restored };
    const name = new URL(restored).pathname.slice(1);
    const skipped = skippedIn(await said(there, 'restore', '--database', name));
    expect(skipped).toBeGreaterThan(given);
    expect((await idsOf(there, [LATER]))[0]).toBeGreaterThan(skipped);
    // Nobody notices that this is a copy: no head says so.
    const alone = { ...folder(), DATABASE_URL: unnoticed };
    expect((await idsOf(alone, [LATER]))[0]).toBeGreaterThan(given);
  });

  it('in a database of the same number and timeline on another server', async () => {
    const settings = { ...folder(), DATABASE_URL: await emptyDatabase() };
    const given = Number((await idsOf(settings, [BEFORE, SINCE])).at(-1));
    // Two servers that were set up alike differ in their system identifier alone.
    const [origin] = await ask<{ here: string }>(
      settings.DATABASE_URL,
      'SELECT current_user_id_origin() AS here',
    );
    expect(origin?.here).toMatch(/^[0-9A-F]{8}\/\d+\/\d{15,20}$/);
    const elsewhere = origin?.here.replace(/\d+$/, '1') ?? '';
    await ask(settings.DATABASE_URL, 'UPDATE user_id_origin SET origin = $1', [elsewhere]);
    expect((await idsOf(settings, [LATER]))[0]).toBeGreaterThan(given + 9_999_990);
  });

  describe('in each of two restores of one backup, with a clock that is behind it', () => {
    it('of a file', async () => {
      const { backup } = await backedUp();
      const restore = async () => skippedIn(await said(folder(), 'restore', backup));
      expectApart(await yesterday(async () => [await restore(), await restore()]));
    });

    it('of a database, by the command and without it', async () => {
      const settings = { ...folder(), DATABASE_URL: await emptyDatabase() };
      await idsOf(settings, [BEFORE]);
      const copy = () => copyOf(settings.DATABASE_URL);
      const restore = async (DATABASE_URL: string) => {
        const name = new URL(DATABASE_URL).pathname.slice(1);
        const there = { ...folder(), DATABASE_URL };
        return skippedIn(await said(there, 'restore', '--database', name));
      };
      const copies = [await copy(), await copy()] as const;
      expectApart(await yesterday(() => Promise.all(copies.map(restore))));

      expectApart(await Promise.all([await copy(), await copy()].map(lastIdBehindItsLog)));
    });
  });

  it(
    'on a standby that was promoted and had not received everything, at two instances at once',
    async () => {
      const pair = await PostgresPair.start(false);
      onTestFinished(() => pair.close());
      const settings = { SECRET_KEY, DATABASE_URL: pair.url };
      const starts = [1, 2].map(() => startServiceForTest({ settings }));
      const clients = (await Promise.all(starts)).map(clientForTest);
      const [one, other] = clients as [ApiClient, ApiClient];
      await idOf(one);
      await expect.poll(() => usersIn(pair.standby.url)).toBe(1);

      const endReceiver = await pair.stallReplication();
      await useUp(pair.primary.url, LOGGED_AHEAD + 9);
      const given = await idOf(one, SINCE);
      await pair.primary.kill();
      endReceiver();
      await pair.promote();
      for (const client of clients) {
        await expect.poll(async () => (await client.send('GET', '/readyz')).status).toBe(200);
      }
      expect(await usersIn(pair.primary.url)).toBe(1);
      const next = await Promise.all([idOf(one, LATER), idOf(other, LAST)]);
      for (const id of next) expect(id).toBeGreaterThan(given + 9_000_000);
      expect(new Set(next).size).toBe(2);
      expect(await idOf(other)).toBeLessThan(given);
      // Raised once, and not by each of them.
      expect(Math.abs(next[0] - next[1])).toBeLessThan(100);
    },
    FAILOVER_MS,
  );
});
