import { expect, test } from 'vitest';
import { checkHistory } from '../support/faults/check-history.ts';
import { checkStore } from '../support/faults/check-store.ts';
import { History } from '../support/faults/history.ts';
import { untilIdle } from '../support/faults/instances-under-load.ts';
import { chooseSeed, seededRandom } from '../support/faults/seeded-random.ts';
import { factsOfPostgres } from '../support/faults/store-facts.ts';
import { runTraffic } from '../support/faults/traffic.ts';
import { ask, emptyDatabase } from '../support/postgres/databases.ts';
import {
  clientForTest,
  spawnServiceForTest,
  startServiceForTest,
} from '../support/programs/for-test.ts';
import { until } from '../support/programs/until.ts';

const TIMEOUT_MS = 120_000;
const WRITERS = 12;
const ANSWERS_BETWEEN = 60;

/** What a later version may add while instances of this one run: nothing that they have to know. */
const ADDITIONS = [
  'ALTER TABLE attempts ADD COLUMN later text COLLATE "C"',
  'ALTER TABLE users ADD COLUMN later bigint',
  'CREATE TABLE later (id bigint PRIMARY KEY, note text COLLATE "C" NOT NULL)',
  'CREATE INDEX attempts_later ON attempts (client, created_at)',
  `INSERT INTO schema_migrations (name, position) VALUES ('9998+later', 9998)`,
];

test(
  'running instances go on without a failed request while a later version adds to the schema',
  async () => {
    const url = await emptyDatabase();
    const settings = { DATABASE_URL: url, SECRET_KEY: 'ab'.repeat(32) };
    const services = await Promise.all([1, 2].map(() => startServiceForTest({ settings })));
    const history = new History();
    const seed = chooseSeed();
    let isOver = false;
    const traffic = runTraffic({
      origins: services.map(({ origin }) => origin),
      writers: WRITERS,
      history,
      random: seededRandom(seed),
      isOver: () => isOver,
    });
    const answered = async () => {
      const enough = history.answers + ANSWERS_BETWEEN;
      await until(() => history.answers >= enough);
    };
    try {
      for (const addition of ADDITIONS) {
        await answered();
        await ask(url, addition);
      }
      await answered();
    } finally {
      isOver = true;
      await traffic;
    }
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
    const late = await startServiceForTest({ settings });
    const started = await clientForTest(late).start({ locale: 'en' });
    expect((await clientForTest(late).status(started)).status).toBe(200);

    await ask(url, `INSERT INTO schema_migrations (name, position) VALUES ('9999-other', 9999)`);
    const refused = await spawnServiceForTest({ settings });
    expect((await refused.exited).code).not.toBe(0);
    expect(refused.stderr()).toContain('migrated by a newer version of this program (9999-other)');
  },
  TIMEOUT_MS,
);
