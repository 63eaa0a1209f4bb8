import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/at-end.ts';
import { ask, copyOf, emptyDatabase } from '../support/postgres/databases.ts';
import type { ApiClient } from '../support/programs/api-client.ts';
import { clientForTest } from '../support/programs/for-test.ts';
import { runMiftah } from '../support/programs/operator.ts';
import { openListening } from '../support/service/listening-service.ts';

const SECRET_KEY = 'ab'.repeat(32);

function settingsFor(url: string, folder: string) {
  return {
    DATABASE_URL: url,
    SECRET_KEY,
    DATA_DIR: folder,
    AUDIT_HEAD_FILE: join(folder, 'audit-head'),
  };
}

async function statusOfToken(client: ApiClient, token: string): Promise<number> {
  return (await client.get('/user', { authorization: `Bearer ${token}` })).status;
}

function start(client: ApiClient) {
  return client.start({ national_id: '1000001101', locale: 'en' });
}

test('threat 64, in PostgreSQL: after miftah restore --database nothing of the backup is good', async () => {
  const settings = settingsFor(await emptyDatabase(), temporaryFolder('restore-database'));
  const first = await openListening({ settings });
  const client = clientForTest(first);
  const attempt = await start(client);
  await client.post('/complete-mfa', { attempt_id: attempt.attempt_id });
  const { token } = await client.token(attempt, { device_name: 'laptop' });
  const open = await start(client);
  await first.stop();
  // A dump and its restore, without the programs for it.
  const backup = await copyOf(settings.DATABASE_URL);
  const name = new URL(backup).pathname.slice(1);

  const second = await openListening({ settings });
  const later = clientForTest(second);
  await later.remove('/token', { authorization: `Bearer ${token}` });
  expect(await statusOfToken(later, token)).toBe(401);
  await second.stop();

  const restored = { ...settings, DATABASE_URL: backup };
  // Without the command the head of the audit log keeps the service from starting.
  const early = await runMiftah(['audit', '--verify'], restored);
  expect(early.code).toBe(1);
  const other = await runMiftah(['restore', '--database', 'other'], restored);
  expect(other).toMatchObject({ code: 1, out: '' });
  expect(other.err).toContain(name);
  expect((await runMiftah(['restore'], restored)).code).toBe(2);
  const placeless = { ...restored, AUDIT_HEAD_FILE: join(settings.DATA_DIR, 'missing', 'head') };
  const refused = await runMiftah(['restore', '--database', name], placeless);
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toContain("head (AUDIT_HEAD_FILE) can't be written: ENOENT");
  const good = 'SELECT count(*)::int AS count FROM api_tokens WHERE revoked_at IS NULL';
  expect(await ask(backup, good)).toEqual([{ count: 1 }]);

  const said = await runMiftah(['restore', '--database', name], restored);
  expect(said, said.err).toMatchObject({ code: 0, err: '' });
  expect(said.out).toContain('Ended 1 token and 1 sign-in');
  expect(said.out).toContain('WHO WAS ERASED SINCE THE BACKUP IS IN IT');
  const third = clientForTest(await openListening({ settings: restored }));
  expect(await statusOfToken(third, token)).toBe(401);
  const answer = await third.post('/complete-mfa', { attempt_id: open.attempt_id });
  expect(answer.status).toBeGreaterThanOrEqual(400);
  const again = { attempt_token: attempt.attempt_token, device_name: 'laptop' };
  expect((await third.post(`/token/${attempt.attempt_id}`, again)).status).not.toBe(200);
  const rows = await ask(backup, "SELECT 1 FROM audit_log WHERE action = 'store.restored'");
  expect(rows).toHaveLength(1);
  const verified = await runMiftah(['audit', '--verify'], restored);
  expect(verified.out).toContain(`The store in the database ${name}:`);
});
