import { expect, test } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { temporaryFolder } from '../support/at-end.ts';
import { KeyChanges } from '../support/faults/key-changes.ts';
import { chooseSeed } from '../support/faults/seeded-random.ts';
import { ask, emptyDatabase } from '../support/postgres/databases.ts';
import {
  clientForTest,
  spawnServiceForTest,
  startServiceForTest,
} from '../support/programs/for-test.ts';
import { runMiftah } from '../support/programs/operator.ts';
import { openListening, refusalOf } from '../support/service/listening-service.ts';

const OLD = 'ab'.repeat(32);
const NEW = 'cd'.repeat(32);
const SPARE = 'ef'.repeat(32);

test('the key of two instances is changed one after the other, and nothing is lost or doubled', async () => {
  const url = await emptyDatabase();
  const seed = chooseSeed();
  const run = new KeyChanges(url, seed);
  try {
    const next = { SECRET_KEY: OLD, RETIRED_SECRET_KEYS: NEW };
    const changed = { SECRET_KEY: NEW, RETIRED_SECRET_KEYS: OLD };
    await run.start(next);
    await run.change([changed]);
    console.log(`TEST_SEED=${seed}: ${run.history.attempts.length} attempts`);
    expect(run.history.violations).toEqual([]);
    expect(run.history.retried).toBeGreaterThan(0);

    const settings = { DATABASE_URL: url, ...changed, DATA_DIR: temporaryFolder('instance') };
    expect(await runMiftah(['keys', 'rotate'], settings)).toMatchObject({ code: 0 });
    for (const last of atLength([{ SECRET_KEY: NEW }], [])) {
      await run.change([last]);
      expect(run.history.violations).toEqual([]);
    }
    expect(await runMiftah(['audit', '--verify'], settings)).toMatchObject({ code: 0 });
  } finally {
    await run.close();
  }
});

test('it is changed by SIGHUP alone, and nothing is lost or doubled', async () => {
  const url = await emptyDatabase();
  const seed = chooseSeed();
  const run = new KeyChanges(url, seed, 'SIGHUP');
  try {
    const [next, changed] = [
      { SECRET_KEY: OLD, RETIRED_SECRET_KEYS: `${NEW},${SPARE}` },
      { SECRET_KEY: NEW, RETIRED_SECRET_KEYS: `${OLD},${SPARE}` },
    ];
    await run.start({ SECRET_KEY: OLD, RETIRED_SECRET_KEYS: SPARE });
    await run.change([next, changed]);
    console.log(`TEST_SEED=${seed}: ${run.history.attempts.length} attempts`);
    expect(run.history.violations).toEqual([]);
    expect(run.history.retried).toBe(0);
    const settings = { DATABASE_URL: url, ...changed, DATA_DIR: temporaryFolder('instance') };
    expect(await runMiftah(['audit', '--verify'], settings)).toMatchObject({ code: 0 });
    // Every session shows the new key, and that it is written with alone.
    const locks = await ask<{ key: string; kinds: number[] }>(url, SHOWN);
    expect(locks.map(({ kinds }) => kinds)).toEqual(expect.arrayContaining([[1, 2], [2]]));
    expect(locks.filter(({ kinds }) => kinds.includes(1))).toHaveLength(1);
  } finally {
    await run.close();
  }
});

/** Of each key, whether it is written with (1) and known (2) by a session. */
const SHOWN = `SELECT objid AS key, array_agg(DISTINCT classid::bigint - 1835624052)::int[] AS kinds
  FROM pg_locks WHERE locktype = 'advisory' AND database =
    (SELECT oid FROM pg_database WHERE datname = current_database())
    AND classid::bigint BETWEEN 1835624053 AND 1835624054 GROUP BY objid`;

test('an exchange is repeated at an instance with the other key, and gives the same token', async () => {
  const DATABASE_URL = await emptyDatabase();
  const one = await openListening({
    settings: { DATABASE_URL, SECRET_KEY: OLD, RETIRED_SECRET_KEYS: NEW },
  });
  const two = await openListening({
    settings: { DATABASE_URL, SECRET_KEY: NEW, RETIRED_SECRET_KEYS: OLD },
  });
  const [first, second] = [clientForTest(one), clientForTest(two)];
  const started = await first.start({ national_id: '1000001101', locale: 'en' });
  const { attempt_id, attempt_token } = started;
  await first.post('/complete-mfa', { attempt_id });
  const exchange = [
    `/token/${attempt_id}`,
    { attempt_token },
    { 'idempotency-key': '0123456789abcdefghijkl' },
  ] as const;
  const token = await first.post(...exchange);
  expect(token.status).toBe(200);
  expect((await second.post(...exchange)).json).toEqual(token.json);

  // Whoever signs in at the first one would be under the earlier key again.
  const DATA_DIR = temporaryFolder('command');
  const settings = { DATABASE_URL, SECRET_KEY: NEW, RETIRED_SECRET_KEYS: OLD, DATA_DIR };
  const refused = await runMiftah(['keys', 'rotate'], settings);
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toMatch(
    /Not every instance writes with this SECRET_KEY yet: miftah \S+:\d+ /,
  );
  expect((await runMiftah(['doctor'], settings)).out).toMatch(
    /^warning +store\.key .*Instances write with another key/m,
  );
  await one.stop();
  const rotated = await runMiftah(['keys', 'rotate'], settings);
  expect(rotated).toMatchObject({ code: 0 });
  expect(rotated.out).toContain('Sealed 0 people anew. Nobody is under an earlier key');
});

test('an instance with a key that a running one does not know does not start, and says why', async () => {
  const DATABASE_URL = await emptyDatabase();
  const running = await startServiceForTest({ settings: { DATABASE_URL, SECRET_KEY: OLD } });
  const early = { DATABASE_URL, SECRET_KEY: NEW, RETIRED_SECRET_KEYS: OLD };
  const refused = await spawnServiceForTest({ settings: early });
  expect((await refused.refused()).code).toBe(1);
  expect(refused.stderr()).toContain('first give it to every instance in RETIRED_SECRET_KEYS');
  // The banner says where a service listens: this one was refused before it answered anybody.
  expect(running.stdout()).toContain(`:${running.port}/`);
  expect(refused.stdout()).not.toContain(`:${refused.port}/`);
  expect((await clientForTest(running).send('GET', '/readyz')).status).toBe(200);
  await running.stop();
  await openListening({ settings: early });
});

test('a key that is lost before anybody was sealed with it is given up, and the service starts', async () => {
  const DATABASE_URL = await emptyDatabase();
  const before = await openListening({ settings: { DATABASE_URL, SECRET_KEY: OLD } });
  const first = clientForTest(before);
  const started = await first.start({ national_id: '1000001101', locale: 'en' });
  await first.post('/complete-mfa', { attempt_id: started.attempt_id });
  const { token } = await first.token(started);
  await first.start({ national_id: '1000001101', locale: 'en' });
  await before.stop();

  const lost = { DATABASE_URL, SECRET_KEY: NEW };
  expect(await refusalOf(lost)).toContain('miftah keys abandon');
  const command = { ...lost, DATA_DIR: temporaryFolder('command') };
  expect(await runMiftah(['keys', 'abandon'], command)).toMatchObject({ code: 1, out: '' });
  const said = await runMiftah(['keys', 'abandon', '--yes'], command);
  expect(said).toMatchObject({ code: 0 });
  expect(said.out).toContain('Gave up every attempt.');
  expect(said.out).toContain('Tokens are still valid');
  const rows = await ask<object>(
    DATABASE_URL,
    'SELECT action, count::int FROM audit_log ORDER BY sequence DESC LIMIT 1',
  );
  expect(rows).toEqual([{ action: 'people.forgotten', count: 0 }]);

  expect(await ask<object>(DATABASE_URL, 'SELECT attempt_id FROM attempts')).toEqual([]);
  const again = clientForTest(await openListening({ settings: lost }));
  expect((await again.get('/user', { authorization: `Bearer ${token}` })).status).toBe(200);
  expect(await runMiftah(['keys', 'abandon', '--yes'], command)).toMatchObject({
    code: 0,
    out: 'Everything can be read: no key is lost.\n',
  });
});
