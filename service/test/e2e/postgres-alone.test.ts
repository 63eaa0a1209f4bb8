import { expect, test } from 'vitest';
import { share, temporaryFolder } from '../support/at-end.ts';
import { ask, emptyDatabase } from '../support/postgres/databases.ts';
import { ApiClient } from '../support/programs/api-client.ts';
import { startServiceForTest } from '../support/programs/for-test.ts';
import { runMiftah } from '../support/programs/operator.ts';
import { spawnService, startService } from '../support/programs/service-process.ts';

const SECRET_KEY = 'ab'.repeat(32);
const OTHER_KEY = 'cd'.repeat(32);
const STRICT = { STRICT: 'yes', ALLOWED_HOSTS: 'localhost' };

/**
 * One instance runs, and three programs that have to be alone are started beside it. Each of them
 * looks for five seconds.
 */
const scene = share(async (atEnd) => {
  const settings = { DATABASE_URL: await emptyDatabase(atEnd), SECRET_KEY };
  const service = await startService({ settings });
  const client = new ApiClient(service.origin);
  atEnd(async () => {
    client.close();
    await service.kill();
  });
  const attempt = await client.start({ national_id: '1000001101', locale: 'en' });
  await client.post('/complete-mfa', { attempt_id: attempt.attempt_id });
  const { token } = await client.token(attempt);
  const rowsBefore = await auditRows(settings.DATABASE_URL);
  const command = { ...settings, DATA_DIR: temporaryFolder('command', atEnd) };
  const name = new URL(settings.DATABASE_URL).pathname.slice(1);
  // One after the other: each has to be alone, and would name another one of them.
  const refused = await spawnService({ settings: { ...settings, ...STRICT } });
  atEnd(async () => void (await refused.kill()));
  const strict = { code: (await refused.refused()).code, err: refused.stderr() };
  const restore = await runMiftah(['restore', '--database', name], command);
  const other = { ...command, SECRET_KEY: OTHER_KEY };
  const abandon = await runMiftah(['keys', 'abandon', '--yes'], other);
  return { settings, service, client, token, rowsBefore, command, name, strict, restore, abandon };
});

function auditRows(url: string) {
  return ask<object>(url, 'SELECT * FROM audit_log ORDER BY sequence');
}

test('beside an instance that runs, a strict one does not start', () => {
  const { strict, service } = scene();
  expect(strict.code).toBe(1);
  expect(strict.err).toContain('this instance has STRICT=yes');
  expect(strict.err).toContain(`:${service.port}`);
});

test.each(['restore', 'abandon'] as const)(
  'beside an instance that runs, the command %s changes nothing, and says which one it is',
  async (name) => {
    const { [name]: said, service, settings, client, token, rowsBefore } = scene();
    expect(said).toMatchObject({ code: 1, out: '' });
    expect(said.err).toMatch(
      new RegExp(
        `the database is in use: miftah \\S+:${service.port} \\(.+\\)\\. Stop what runs`,
        'u',
      ),
    );
    expect(await auditRows(settings.DATABASE_URL)).toEqual(rowsBefore);
    expect((await client.get('/user', { authorization: `Bearer ${token}` })).status).toBe(200);
    expect((await client.send('GET', '/readyz')).status).toBe(200);
  },
);

test('after the instance was stopped, the command works', async () => {
  const { service, command, name } = scene();
  await service.stop();
  const said = await runMiftah(['restore', '--database', name], command);
  expect(said).toMatchObject({ code: 0, err: '' });
  await startServiceForTest({ settings: { ...command, ...STRICT } });
});
