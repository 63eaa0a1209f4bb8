import { expect, test } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { temporaryFolder } from '../support/at-end.ts';
import { checkHistory } from '../support/faults/check-history.ts';
import { checkStore } from '../support/faults/check-store.ts';
import { History } from '../support/faults/history.ts';
import { untilIdle } from '../support/faults/instances-under-load.ts';
import { chooseSeed, seededRandom } from '../support/faults/seeded-random.ts';
import { factsOfPostgres } from '../support/faults/store-facts.ts';
import { runTraffic } from '../support/faults/traffic.ts';
import { ask, emptyDatabase } from '../support/postgres/databases.ts';
import { LaterVersion, pause } from '../support/postgres/later-version.ts';
import { clientForTest, startServiceForTest } from '../support/programs/for-test.ts';
import { runMiftahProgram } from '../support/programs/operator.ts';
import { findFreePort } from '../support/programs/service-process.ts';
import { until } from '../support/programs/until.ts';
import { openListening, refusalOf } from '../support/service/listening-service.ts';

const WRITERS = 8;
const ANSWERS_BETWEEN = atLength(60, 30);
/** Enough for each moment of a migration to be met; more would only make it slower. */
const REQUESTS_PER_SECOND = atLength(100, 50);

/** What a later version may add while instances of this one run: nothing that they have to know. */
const ADDITIONS = [
  {
    name: '9997+later',
    statements: [
      'CREATE TABLE later (id bigint PRIMARY KEY, note text COLLATE "C" NOT NULL)',
      pause(1),
    ],
  },
  {
    name: '9998+later',
    statements: [
      'ALTER TABLE attempts ADD COLUMN later text COLLATE "C"',
      pause(2),
      'ALTER TABLE users ADD COLUMN later bigint',
      `INSERT INTO later SELECT id, 'note' FROM generate_series(1, 20000) AS id`,
      'CREATE INDEX attempts_later ON attempts (client, created_at)',
      pause(3),
    ],
  },
];

/** Places of kills: in the first migration, and at the end of the second one. */
const KILLS = [
  { place: 1, applied: [], found: [] },
  { place: 3, applied: ['9997+later'], found: ['later'] },
];

const FOUND = `
SELECT table_name || '.' || column_name AS name FROM information_schema.columns
WHERE column_name = 'later'
UNION ALL SELECT relname FROM pg_class WHERE relname IN ('later', 'attempts_later')`;

async function namesOf(url: string, sql: string): Promise<string[]> {
  return (await ask<{ name: string }>(url, sql)).map(({ name }) => name).toSorted();
}

/** The later migrations that the database says it has, and what it has of them. */
async function stateOf(url: string) {
  const sql = "SELECT name FROM schema_migrations WHERE name LIKE '%later'";
  return { applied: await namesOf(url, sql), found: await namesOf(url, FOUND) };
}

test('no request fails while a later version migrates, is killed in the middle, and resumes', async () => {
  const url = await emptyDatabase();
  const settings = { DATABASE_URL: url, SECRET_KEY: 'ab'.repeat(32) };
  const services = await Promise.all([1, 2].map(() => startServiceForTest({ settings })));
  const later = new LaterVersion({ ...settings, DATA_DIR: temporaryFolder('later') }, ADDITIONS);
  const history = new History();
  const seed = chooseSeed();
  let isOver = false;
  const traffic = runTraffic({
    origins: services.map(({ origin }) => origin),
    writers: WRITERS,
    perSecond: REQUESTS_PER_SECOND,
    history,
    random: seededRandom(seed),
    isOver: () => isOver,
  });
  const answered = async () => {
    const enough = history.answers + ANSWERS_BETWEEN;
    await until(() => history.answers >= enough);
  };
  try {
    for (const { place, ...state } of KILLS) {
      await answered();
      expect(await later.migrateAndDieAt(place)).toBe('SIGKILL');
      expect(await stateOf(url), `killed at place ${place}`).toEqual(state);
    }
    await answered();
    expect(await later.migrate()).toBe(0);
    await answered();
  } finally {
    isOver = true;
    await traffic;
  }
  expect(await stateOf(url)).toEqual({
    applied: ADDITIONS.map(({ name }) => name),
    found: ['attempts.later', 'attempts_later', 'later', 'users.later'],
  });
  await untilIdle(url);
  const clients = services.map(clientForTest);
  await checkHistory({ clients, history }, history.attempts);
  checkStore(history, await factsOfPostgres(url));
  expect(history.violations, `TEST_SEED=${seed}`).toEqual([]);
  expect({ unanswered: history.unanswered, unavailable: history.unavailable }).toEqual({
    unanswered: 0,
    unavailable: 0,
  });

  // An instance of this version is started again beside those of the later one.
  const late = await openListening({ settings }).catch((error: unknown) =>
    expect.unreachable(String(error)),
  );
  const started = await clientForTest(late).start({ locale: 'en' });
  expect((await clientForTest(late).status(started)).status).toBe(200);

  await ask(url, `INSERT INTO schema_migrations (name, position) VALUES ('9999-other', 9999)`);
  expect(await refusalOf(settings)).toContain(
    'migrated by a newer version of this program (9999-other)',
  );
});

// A connection that waits for a schema which never comes would keep the command.
test.each([
  ['audit', '--verify'],
  ['operator', 'link'],
])('miftah %s ends where the database has no schema yet', async (...args) => {
  const settings = { DATABASE_URL: await emptyDatabase(), SECRET_KEY: 'ab'.repeat(32) };
  const DATA_DIR = temporaryFolder('commands');
  const OPERATOR_PORT = String(await findFreePort());
  const { code, err } = await runMiftahProgram(args, { ...settings, DATA_DIR, OPERATOR_PORT });
  expect([code, err]).toEqual([1, expect.stringContaining('miftah migrate')]);
});
