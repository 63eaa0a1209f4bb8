import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { makeApiToken, apiTokenDigest } from '../../src/account/api-token.ts';
import {
  attemptTokenDigest,
  makeAttemptToken,
  type AttemptRecord,
} from '../../src/attempt/attempt.ts';
import { openSqliteStore } from '../../src/store/index.ts';
import { settingsOf } from '../../src/store/sqlite/open-sqlite-store.ts';
import { Writer } from '../../src/store/sqlite/thread/writer.ts';
import { statements } from '../../src/store/sqlite/statements.generated.ts';
import { receiverId, WEBHOOK_EVENTS } from '../../src/webhooks/webhook.ts';
import { authentication, redemption, sampleAttempt, SEAL, START } from '../conformance/samples.ts';
import { makeDirectory, openErrorOf, openSqlite } from '../support/store/open-stores.ts';
import { changeBehindIndex } from '../support/store/unindexed-row.ts';
import { unitOf } from '../support/store/unit-of.ts';

let parent: string;
let directory: string;

beforeEach(() => {
  parent = makeDirectory();
  directory = join(parent, 'made', 'by the store');
});

afterEach(() => rmSync(parent, { recursive: true }));

function open() {
  return openSqliteStore({ directory, onPoisoned: () => undefined });
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

describe('the files', () => {
  test('only the own user may read them, the log of writes included', async () => {
    const store = await open();
    await store.insertAttempt(sampleAttempt());
    const files = readdirSync(directory).toSorted();
    expect(files).toEqual(['miftah.db', 'miftah.db-shm', 'miftah.db-wal', 'miftah.lock']);
    expect(files.map((file) => modeOf(join(directory, file)))).toEqual(files.map(() => '600'));
    expect(modeOf(directory)).toBe('700');
    await store.close();
  });

  test('a closed store is one file, and its lock', async () => {
    const store = await open();
    await store.insertAttempt(sampleAttempt());
    await store.close();
    expect(readdirSync(directory).toSorted()).toEqual(['miftah.db', 'miftah.lock']);
  });

  test('no token can be read in them', async () => {
    const store = await open();
    const attemptToken = makeAttemptToken(Buffer.alloc(48, 0xa7)).reveal();
    const apiToken = makeApiToken('simulator', Buffer.alloc(32, 0xb3)).reveal();
    const attempt = sampleAttempt({ tokenDigest: attemptTokenDigest(attemptToken) });
    const change = redemption(attempt);
    const token = { ...change.token, tokenDigest: apiTokenDigest(apiToken) };
    await store.insertAttempt(attempt);
    await store.authenticateAttempt(authentication(attempt));
    expect(await store.redeemAttempt({ ...change, token })).not.toBeNull();
    await store.close();
    const bytes = readFileSync(join(directory, 'miftah.db'));
    expect(bytes.includes(apiTokenDigest(apiToken))).toBe(true);
    for (const secret of [attemptToken, apiToken]) expect(bytes.includes(secret)).toBe(false);
  });
});

test('that the log grows while somebody reads is reported, in bytes', async () => {
  const { promise: reported, resolve: onLongLog } = Promise.withResolvers<number>();
  const store = await openSqliteStore({
    directory,
    onPoisoned: () => undefined,
    maxLogPages: 10,
    onLongLog,
  });
  const reader = new DatabaseSync(join(directory, 'miftah.db'), { readOnly: true });
  reader.exec('BEGIN; SELECT count(*) FROM attempts');
  for (let number = 0; number < 50; number += 1) await store.insertAttempt(sampleAttempt());
  expect(await reported).toBeGreaterThan(40 * 4096);
  reader.close();
  await store.close();
});

test('reads that can not be ended make the store unusable, because later ones would be old', async () => {
  const { promise: poisoned, resolve: onPoisoned } = Promise.withResolvers<string>();
  const store = await openSqliteStore({ directory, onPoisoned });
  const { attemptId } = sampleAttempt();
  const run = Reflect.get(StatementSync.prototype, 'run');
  vi.spyOn(StatementSync.prototype, 'run').mockImplementation(function (
    this: StatementSync,
    ...values: Parameters<StatementSync['run']>
  ) {
    if (this.sourceSQL !== 'COMMIT') return Reflect.apply(run, this, values);
    throw new Error('disk I/O error');
  });
  await Promise.all([store.findAttempt(attemptId), store.findAttempt(attemptId)]);
  expect(await poisoned).toBe('disk I/O error');
  expect(store.health()).toEqual({ ready: false, reason: 'disk I/O error' });
  await store.close();
});

test('what becomes of webhooks has no commit of its own while requests have some', async () => {
  const commits: number[] = [];
  const store = await openSqliteStore({
    directory,
    onPoisoned: () => undefined,
    onBegin: () => (units) => void commits.push(units),
    // The next request is always expected.
    timer: { after: () => () => undefined },
  });
  const { outbox } = store;
  const at = START + 1;
  const receiver = receiverId('simulator', 'https://shop.example/hook');
  outbox.tellTo([{ receiver, client: 'simulator', events: WEBHOOK_EVENTS }]);
  const reject = async () => {
    const attempt = sampleAttempt();
    await store.insertAttempt(attempt);
    const { attemptId } = attempt;
    await store.rejectAttempt({ attemptId, at, reason: 'attempt.rejected' });
  };
  const sweep = (now: number) => outbox.sweepExpired({ now, graceMs: 0, longestMs: 1 });
  await sweep(at);
  await reject();
  await reject();
  const leasing = outbox.lease({ receiver, limit: 9, at, until: at + 1 });
  await laterTurn();
  await store.insertAttempt(sampleAttempt());
  const [first, second] = await leasing;
  if (first === undefined || second === undefined) throw new Error('nothing was due');
  const noting = [
    outbox.delivered(first.deliveryId, '204', at),
    outbox.failed({ delivery: second, answer: '500', at, nextAt: at + 1 }),
    sweep(at + 1),
  ];
  await laterTurn();
  await store.insertAttempt(sampleAttempt());
  await Promise.all(noting);
  expect(commits).toEqual([1, 1, 1, 1, 1, 2, 4]);
  await store.close();
});

test('a read of a few that wait looks at a bounded number, and one of all at all', async () => {
  const store = await open();
  const { outbox } = store;
  const [lost, known] = ['lost', 'known'].map((name) =>
    receiverId('simulator', `https://${name}.example/hook`),
  );
  if (lost === undefined || known === undefined) throw new Error('there are two');
  const database = new DatabaseSync(join(directory, 'miftah.db'));
  database
    .prepare(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20001)
       INSERT INTO webhook_deliveries
         (delivery_id, receiver, client, event, at, since, tries, next_at)
       SELECT n, CASE n WHEN 20001 THEN ? ELSE ? END, 'simulator', 'user.disabled', n, n, 0, n
       FROM numbers`,
    )
    .run(known, lost);
  database.close();
  expect(await outbox.waiting(1000, [known])).toEqual([]);
  const all = await outbox.waiting(30_000);
  const counts = Object.fromEntries(all.map(({ receiver, count }) => [receiver, count]));
  expect(counts).toEqual({ [lost]: 20_000, [known]: 1 });
  expect(await outbox.waiting(30_000, [known])).toMatchObject([{ count: 1, oldestAt: 20_001 }]);
  await store.close();
});

/** What was asked for in this one, and waits for nothing, has begun. */
const laterTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));

describe('a directory that can not be used', () => {
  // Node's recursive mkdir never returns for /proc, which exists but can't contain new directories.
  test.each(['/proc/miftah', '/proc/miftah/data', '/dev/null/data'])(
    'is named: %s',
    async (path) => {
      directory = path;
      const { code, message } = await openErrorOf(open());
      expect(code).toBe('store.unavailable');
      expect(message).toContain(`${path} can't be made`);
      expect(message).toContain('DATA_DIR');
    },
  );

  test('is named when a file is in its place', async () => {
    directory = join(parent, 'file');
    writeFileSync(directory, '');
    expect((await openErrorOf(open())).message).toContain(`${directory} can't be made`);
  });
});

describe('the writer', () => {
  test('flushes the log at every commit, in write-ahead-log mode', () => {
    const settings = settingsOf({ directory, onPoisoned: () => undefined });
    const sql = { mode: 'PRAGMA journal_mode', sync: 'PRAGMA synchronous' };
    const writer = new Writer({ ...settings, statements: sql });
    const units = Object.keys(sql).map((statement) =>
      unitOf({ statement, values: [], stopWhenEmpty: false }),
    );
    const reply = writer.runBatch(units);
    writer.release();
    expect(reply).toMatchObject({
      units: [
        { results: [{ rows: [{ journal_mode: 'wal' }] }] },
        { results: [{ rows: [{ synchronous: 2 }] }] },
      ],
    });
  });

  test('shares transactions between writes that come together', async () => {
    const commits: number[] = [];
    const opened = await openSqlite({ onBegin: () => (units) => commits.push(units) });
    const attempts = Array.from({ length: 500 }, () => sampleAttempt());
    await Promise.all(attempts.map((attempt) => opened.store.insertAttempt(attempt)));
    await opened.dispose();
    expect(commits.reduce((sum, units) => sum + units, 0)).toBe(500);
    expect(commits.length).toBeLessThanOrEqual(4);
  });
});

describe('the tables', () => {
  const impossible: readonly [string, Partial<AttemptRecord>][] = [
    ['authenticated by nobody', { authenticatedAt: START }],
    ['redeemed from pending', { redeemedAt: START }],
    ['rejected and failed', { rejectedAt: START, failedAt: START, endReason: 'attempt.failed' }],
    ['failed for no reason', { failedAt: START }],
    ['a reason and no end', { endReason: 'attempt.failed' }],
    ['a code that never expires', { completionDigest: attemptTokenDigest('code') }],
    ['a seal of no redemption', { redemption: SEAL }],
  ];

  test('refuse what no transition can make', async () => {
    const store = await open();
    for (const [name, fields] of impossible) {
      const insert = store.insertAttempt(sampleAttempt(fields));
      await expect(insert, name).rejects.toThrow('CHECK constraint failed');
    }
    await store.close();
  });

  test('every statement finds its rows by an index', async () => {
    await (await open()).close();
    const database = new DatabaseSync(join(directory, 'miftah.db'));
    const plans = Object.values(statements).flatMap(({ name, sql }) =>
      database
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => `${name}: ${String(detail)}`),
    );
    database.close();
    // Statements of commands, which read whole tables on purpose.
    const own = plans.filter((plan) => !/^(selectContradiction|selectDisabled): /.test(plan));
    const slow = own.filter((plan) => / SCAN |TEMP B-TREE FOR ORDER BY$/.test(plan));
    expect(slow).toEqual([
      // A foreign key check that SQLite skips while no deferred constraint is violated.
      'upsertUser: SCAN attempts',
      // Only rows with kept tokens are in this index.
      'selectKeptPushes: SCAN provider_transactions USING INDEX transactions_with_kept_tokens',
      'dropLateTokens: SCAN provider_transactions USING INDEX transactions_with_kept_tokens',
      // Not tables: the one row to insert, and the windows of a budget.
      'admitPush: SCAN CONSTANT ROW',
      'admitPush: SCAN item VIRTUAL TABLE INDEX 1:',
      // On a page for operators: the pushes of a day, which the budgets limit.
      'countPushes: SCAN pushes USING COVERING INDEX pushes_of_client',
      'putOpenid: SCAN CONSTANT ROW',
      // At a restore, which removes them all.
      'deleteToldAtEnd: SCAN openid_records',
      // The clients of the file; and what is to be told, after a clock went back.
      'selectClientsToTell: SCAN item VIRTUAL TABLE INDEX 1:',
      'bringEndedForward: SCAN openid_records USING INDEX openid_records_due',
      'insertBinding: SCAN CONSTANT ROW',
      'insertProviderName: SCAN CONSTANT ROW',
      // At a start: the few names of the provider, in their order.
      'selectProviderNames: SCAN provider_names USING COVERING INDEX sqlite_autoindex_provider_names_1',
      // Not tables: the receivers of the clients, and the one row to insert.
      'noteAttempt: SCAN item VIRTUAL TABLE INDEX 1:',
      'noteFailed: SCAN item VIRTUAL TABLE INDEX 1:',
      'noteDisabled: SCAN item VIRTUAL TABLE INDEX 1:',
      'noteRevoked: SCAN item VIRTUAL TABLE INDEX 1:',
      'beginSweep: SCAN CONSTANT ROW',
      'selectPendingPushes: SCAN item VIRTUAL TABLE INDEX 1:',
      'noteExpired: SCAN item VIRTUAL TABLE INDEX 1:',
      'switchOff: SCAN CONSTANT ROW',
      // What has waited longest, up to a limit.
      'giveUpOldest: SCAN webhook_deliveries USING INDEX webhook_deliveries_waiting',
      'replayDelivery: SCAN item VIRTUAL TABLE INDEX 1:',
      'replayClient: SCAN item VIRTUAL TABLE INDEX 1:',
      // Only deliveries that wait are in this index: after a clock went back, and to count them.
      'bringForward: SCAN webhook_deliveries USING INDEX webhook_deliveries_due',
      // Up to two limits: of what waits longest, and of that what is for the receivers of the clients.
      'selectWaiting: SCAN webhook_deliveries USING INDEX webhook_deliveries_waiting',
      'selectWaiting: SCAN oldest',
      'selectWaiting: SCAN item VIRTUAL TABLE INDEX 1:',
      'selectWaiting: SCAN longest',
      // The few receivers that have answered 410.
      'selectSwitchedOff: SCAN webhooks_off',
      // For a command alone.
      'selectOldestTried: USE TEMP B-TREE FOR ORDER BY',
      // The doctor's look for the last refused token, beside which it reads the whole log.
      'selectLastAudit: SCAN audit_log',
      // Reads the log in order, up to the first row that is young enough to stay.
      'selectNextAnchor: SCAN CONSTANT ROW',
      'selectNextAnchor: SCAN audit_log',
      // Reads the last row of an index that has only those that give up rows.
      'selectGivingUp: SCAN audit_log USING INDEX audit_log_of_given_up',
      // Reads the first row of an index that has only the restored states of the store.
      'selectStoreMark: SCAN audit_log USING INDEX audit_log_of_store',
      // At a start and in a command: the list of keys, and everything that is removed.
      'countLost: SCAN item VIRTUAL TABLE INDEX 1:',
      'deleteTokensOfLost: SCAN item VIRTUAL TABLE INDEX 1:',
      'deleteAttempts: SCAN attempts USING INDEX attempts_by_expiry',
      'deleteLost: SCAN item VIRTUAL TABLE INDEX 1:',
      'deleteLost: SCAN attempts',
      'deleteLostOpenid: SCAN openid_records',
      'deleteLostOpenid: SCAN item VIRTUAL TABLE INDEX 1:',
      // Of a restored backup: all that it has.
      'eraseLaunchUrls: SCAN provider_transactions',
      // In a command: the one row to insert, and SQLite's own table with two rows.
      'insertUser: SCAN CONSTANT ROW',
      'insertUser: SCAN attempts',
      'selectLastUserId: SCAN sqlite_sequence',
      'raiseLastUserId: SCAN sqlite_sequence',
      // Once a minute where a limit by number is set: counts from one end of the index.
      'selectNthAttempt: SCAN attempts USING COVERING INDEX attempts_by_expiry',
      'selectNthCall: SCAN provider_calls USING COVERING INDEX provider_calls_by_time',
      // In commands: finds and sorts what one person has. There is no index of attempts by user.
      'selectTokensOfUser: USE TEMP B-TREE FOR ORDER BY',
      'selectAttemptsOfUser: SCAN attempts',
      'selectPushesOfPerson: USE TEMP B-TREE FOR ORDER BY',
      'deleteAttemptsOfUser: SCAN attempts',
      'deleteUser: SCAN attempts',
      // The one row to insert, and the list of people who were erased and are kept out.
      'insertKeptOut: SCAN CONSTANT ROW',
      'selectKeptOut: SCAN erased_people',
      'countKeptOutUnder: SCAN erased_people',
    ]);
    expect(plans.length).toBeGreaterThan(Object.keys(statements).length / 2);
  });
});

describe('a damaged file', () => {
  test('is refused and left as it is: something that is no database', async () => {
    writeFileSync(await makeStore(), 'This is a letter to the bank.\n'.repeat(400));
    await expectRefusal();
  });

  test('is refused and left as it is: empty', async () => {
    truncateSync(await makeStore(), 0);
    await expectRefusal();
  });

  test('is refused and left as it is: cut off', async () => {
    const file = await makeStore();
    truncateSync(file, statSync(file).size - 4096 * 3);
    await expectRefusal();
  });

  test('is refused and left as it is: a page of noise', async () => {
    const file = await makeStore();
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0xa5, 4096 * 20, 4096 * 21));
    await expectRefusal();
  });
});

test('a file whose index lacks a row is refused', async () => {
  const file = await makeStore();
  const database = new DatabaseSync(file, { defensive: false });
  changeBehindIndex(database);
  database.close();
  await expectRefusal();
});

test('a database of another program is refused, and gets no tables', async () => {
  const file = await makeStore();
  rmSync(file);
  const other = new DatabaseSync(file);
  other.exec('CREATE TABLE schema_migrations (version TEXT); CREATE TABLE songs (title TEXT)');
  other.close();
  const { code, message } = await openErrorOf(open());
  expect([code, message]).toEqual(['store.corrupt', expect.stringContaining('not one of this')]);
  const after = new DatabaseSync(file);
  onTestFinished(() => after.close());
  expect(after.prepare('SELECT name FROM sqlite_schema').all()).toEqual([
    { name: 'schema_migrations' },
    { name: 'songs' },
  ]);
});

async function makeStore(): Promise<string> {
  const store = await open();
  const attempts = Array.from({ length: 300 }, () => sampleAttempt());
  await Promise.all(attempts.map((attempt) => store.insertAttempt(attempt)));
  await store.close();
  return join(directory, 'miftah.db');
}

async function expectRefusal(): Promise<void> {
  const file = join(directory, 'miftah.db');
  const before = readFileSync(file);
  const { code, message } = await openErrorOf(open());
  expect(code).toBe('store.corrupt');
  expect(message).toContain(file);
  expect(readFileSync(file).equals(before)).toBe(true);
}
