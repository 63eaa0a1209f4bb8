import { expect, test } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { temporaryFolder } from '../support/at-end.ts';
import { spawnMove } from '../support/faults/moves.ts';
import {
  ask,
  emptyDatabase,
  migratedDatabase,
  SERVER_WARNED,
} from '../support/postgres/databases.ts';
import type { ApiClient } from '../support/programs/api-client.ts';
import { clientForTest, startServiceForTest } from '../support/programs/for-test.ts';
import { runMiftah } from '../support/programs/operator.ts';
import { addTokens } from '../support/store/large-store.ts';

const TOKENS = atLength(1_000_000, 6_000);
/** A store of a million tokens is a gigabyte. */
const MOST_KB = 500 * 1024;
/** A million are written, moved twice and verified three times. */
const LIMIT_MS = atLength(40, 5) * 60_000;
const SECRET_KEY = 'ab'.repeat(32);

async function logIn(client: ApiClient): Promise<string> {
  const attempt = await client.start({ national_id: '1000001101', locale: 'en' });
  await client.post('/complete-mfa', { attempt_id: attempt.attempt_id });
  return (await client.token(attempt)).token;
}

async function expectGood(settings: Record<string, string>, token: string): Promise<void> {
  const service = await startServiceForTest({ settings });
  const client = clientForTest(service);
  const { status } = await client.get('/user', { authorization: `Bearer ${token}` });
  expect(status).toBe(200);
  await service.stop();
}

/** Whether tokens are written. It is asked elsewhere: whoever is in the database keeps it from a move. */
const writesTokens = (elsewhere: string, url: string) =>
  ask(
    elsewhere,
    `SELECT 1 FROM pg_stat_activity WHERE datname = '${new URL(url).pathname.slice(1)}'
      AND query LIKE 'INSERT INTO api_tokens%'`,
  );

/** Each thousand tokens take long enough to be seen. */
const SLOW = `CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN PERFORM pg_sleep(0.5); RETURN NULL; END $$;
  CREATE TRIGGER slow AFTER INSERT ON api_tokens EXECUTE FUNCTION wait()`;
const AS_BEFORE = 'DROP TRIGGER slow ON api_tokens; DROP FUNCTION wait';

const countIn = async (url: string, table: string) =>
  Number((await ask<{ count: string }>(url, `SELECT count(*) FROM ${table}`))[0]?.count);

test(
  `${TOKENS} tokens are moved, after a kill in the middle, and back`,
  async () => {
    const file = { SECRET_KEY, DATA_DIR: temporaryFolder('move-many') };
    const service = await startServiceForTest({ settings: file });
    const token = await logIn(clientForTest(service));
    await service.stop();
    addTokens(file.DATA_DIR, TOKENS, SECRET_KEY);

    const DATABASE_URL = await migratedDatabase();
    await ask(DATABASE_URL, SLOW);
    const database = { ...file, DATABASE_URL };
    const elsewhere = await emptyDatabase();
    const killed = spawnMove(database, 'DATABASE_URL');
    await expect.poll(() => writesTokens(elsewhere, DATABASE_URL)).toHaveLength(1);
    killed.child.kill('SIGKILL');
    expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' });
    // The server finds out, and rolls back.
    await expect.poll(() => writesTokens(elsewhere, DATABASE_URL)).toEqual([]);
    expect(await countIn(DATABASE_URL, 'api_tokens')).toBe(0);
    expect(await countIn(DATABASE_URL, 'audit_log')).toBe(0);
    await expectGood(file, token);
    await ask(DATABASE_URL, AS_BEFORE);

    const began = performance.now();
    const moved = await spawnMove(database, 'DATABASE_URL').ended;
    const seconds = Math.round((performance.now() - began) / 1000);
    console.info(`moved ${TOKENS} tokens in ${seconds} s with ${moved.mostKb} KB of memory`);
    expect(moved).toMatchObject({ code: 0, err: SERVER_WARNED });
    expect(moved.out).toContain(`${TOKENS + 1} tokens`);
    expect(moved.mostKb).toBeLessThan(MOST_KB);
    expect(await countIn(DATABASE_URL, 'api_tokens')).toBe(TOKENS + 1);
    await expectGood(database, token);
    expect((await runMiftah(['audit', '--verify'], database)).code).toBe(0);

    const DATA_DIR = temporaryFolder('move-many');
    const back = await spawnMove(database, DATA_DIR).ended;
    expect(back).toMatchObject({ code: 0, err: SERVER_WARNED });
    expect(back.mostKb).toBeLessThan(MOST_KB);
    await expectGood({ ...file, DATA_DIR }, token);
  },
  LIMIT_MS,
);
