import { describe, expect, onTestFinished, test } from 'vitest';
import type { PostgresPoolOptions } from '../../../src/store/postgres/connections/postgres-pool.ts';
import type { ServerWarning } from '../../../src/store/postgres/server-check.ts';
import { share } from '../../support/at-end.ts';
import { ask, emptyDatabase } from '../../support/postgres/databases.ts';
import {
  becomesReady,
  KeptIdentity,
  openPool,
  refusalOf,
  sql,
} from '../../support/postgres/pool.ts';
import { sharedServer } from '../../support/postgres/door.ts';

const opened = share(async (atEnd) => ({ url: await emptyDatabase(atEnd) }));

const ROLE = 'CREATE ROLE';

/** Why the pool refuses to work with the server. */
async function refusalFrom(url: string, options: Partial<PostgresPoolOptions> = {}) {
  const pool = openPool(url, onTestFinished, options);
  expect(await refusalOf(pool.read(sql('SELECT 1')))).toBe('storage.unavailable');
  const health = pool.health();
  return health.ready ? 'ready' : health.reason;
}

async function identityOf(url: string) {
  const [row] = await ask<{ system: string }>(
    url,
    'SELECT system_identifier::text AS system FROM pg_control_system()',
  );
  return row?.system ?? '';
}

/** A role of the shared server that can log in to the database of the test, and nothing else. */
async function role(name: string, ...settings: readonly string[]): Promise<string> {
  const { run } = await sharedServer();
  const full = `${run}_${name}`;
  await ask(opened().url, `${ROLE} ${full} LOGIN PASSWORD 'hunter2'`);
  for (const setting of settings) await ask(opened().url, `ALTER ROLE ${full} SET ${setting}`);
  onTestFinished(async () => {
    await ask(opened().url, `DROP OWNED BY ${full}`);
    await ask(opened().url, `DROP ROLE ${full}`);
  });
  const url = new URL(opened().url);
  url.username = full;
  url.password = 'hunter2';
  return url.href;
}

describe('the server of a new connection', () => {
  test('is remembered', async () => {
    const identity = new KeptIdentity();
    const pool = openPool(opened().url, onTestFinished, { identity });
    await becomesReady(pool);
    const systemIdentifier = await identityOf(opened().url);
    expect(identity.identity).toEqual({ systemIdentifier, timeline: 1 });
  });

  test('does not keep a plan that reads whole tables, which it made while they were empty', async () => {
    const pool = openPool(opened().url, onTestFinished);
    await becomesReady(pool);
    const names = ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin', 'jit'];
    const asked = `SELECT current_setting(name) AS value FROM unnest($1::text[]) AS name`;
    const { rows } = await pool.read({ name: null, sql: asked, values: [names] });
    expect(rows.map(({ value }) => value)).toEqual(names.map(() => 'off'));
  });

  test('is refused when it is another system than before', async () => {
    const identity = new KeptIdentity({ systemIdentifier: '1', timeline: 1 });
    expect(await refusalFrom(opened().url, { identity })).toContain('another database system');
    expect(identity.identity).toEqual({ systemIdentifier: '1', timeline: 1 });
  });

  test('is refused when its timeline is older than one that was seen', async () => {
    const systemIdentifier = await identityOf(opened().url);
    const identity = new KeptIdentity({ systemIdentifier, timeline: 2 });
    expect(await refusalFrom(opened().url, { identity })).toContain('former primary');
  });

  test('is refused when it has the functions of advisory locks, and they lock nothing', async () => {
    const url = await emptyDatabase(onTestFinished);
    const noLock = `CREATE FUNCTION pg_advisory_xact_lock_shared(int, int) RETURNS void
      LANGUAGE sql AS 'SELECT'`;
    await ask(url, noLock);
    await ask(
      url,
      `ALTER DATABASE ${new URL(url).pathname.slice(1)}
      SET search_path = public, pg_catalog`,
    );
    expect(await refusalFrom(url)).toContain('no advisory locks');
  });

  test('is not used when its identity can not be kept', async () => {
    const identity = {
      known: () => null,
      remember: () => Promise.reject(new Error('there is no space')),
    };
    expect(await refusalFrom(opened().url, { identity })).toContain('there is no space');
  });

  test('is refused when the database is not UTF8', async () => {
    const url = await emptyDatabase(onTestFinished, { encoding: 'LATIN1' });
    expect(await refusalFrom(url)).toContain("TEMPLATE template0 ENCODING 'UTF8'");
  });

  test('is refused when it is read-only', async () => {
    const url = await role('reader', 'default_transaction_read_only = on');
    expect(await refusalFrom(url)).toContain('accepts no writes');
  });

  test('is refused when no trigger would run', async () => {
    const url = await role('replica', 'session_replication_role = replica');
    expect(await refusalFrom(url)).toContain('session_replication_role is replica');
  });

  test('that becomes read-only is noticed at the next write', async () => {
    const url = await role('writer');
    const pool = openPool(url, onTestFinished);
    await becomesReady(pool);
    await ask(
      opened().url,
      `ALTER ROLE ${new URL(url).username} SET default_transaction_read_only = on`,
    );
    const write = sql('SET transaction_read_only = on; CREATE TABLE never (id int)');
    expect(await refusalOf(pool.autocommit(write))).toBe('storage.unavailable');
    expect(await refusalOf(pool.read(sql('SELECT 1')))).toBe('storage.unavailable');
    expect(pool.health()).toMatchObject({ ready: false });
  });

  test.each([
    ['hunter3', 'refuses the user or the password'],
    ['', 'password'],
  ])('is told by its refusal, and the password is not: %j', async (password, reason) => {
    const url = new URL(opened().url);
    url.password = password;
    const refusal = await refusalFrom(url.href);
    expect(refusal).toContain(reason);
    expect(refusal).not.toContain('hunter3');
  });

  test('has no such database', async () => {
    const url = new URL(opened().url);
    url.pathname = '/nowhere';
    expect(await refusalFrom(url.href)).toContain('the database does not exist');
  });

  test('the next one that the URL names is used when the first can not be', async () => {
    const url = opened().url.replace('@', '@127.0.0.1:1,');
    const pool = openPool(url, onTestFinished);
    await becomesReady(pool);
    expect(await pool.check()).toEqual({ ready: true });
  });
});

async function warningsFrom(url: string): Promise<string> {
  const warnings: string[] = [];
  const pool = openPool(url, onTestFinished, { onWarning: ({ what }) => warnings.push(what) });
  await becomesReady(pool);
  await Promise.all([pool.check(), pool.check(), pool.check()]);
  expect(new Set(warnings).size).toBe(warnings.length);
  return warnings.join('\n');
}

describe('warnings', () => {
  test('name settings that lose acknowledged writes', async () => {
    const warnings = await warningsFrom(await role('careless', 'synchronous_commit = off'));
    expect(warnings).toContain('synchronous_commit is off');
    expect(warnings).not.toContain('pooler');
  });

  test('say when the role may not read which system it is', async () => {
    const url = await role('stranger', 'synchronous_commit = on');
    const identity = new KeptIdentity({ systemIdentifier: '1', timeline: 1 });
    await ask(opened().url, 'REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC');
    onTestFinished(async () => {
      await ask(opened().url, 'GRANT EXECUTE ON FUNCTION pg_control_system() TO PUBLIC');
    });
    const warnings: ServerWarning[] = [];
    const onWarning = (warning: ServerWarning) => warnings.push(warning);
    const pool = openPool(url, onTestFinished, { identity, onWarning });
    await becomesReady(pool);
    const remedies = warnings.map(({ remedy }) => remedy).join('\n');
    expect(remedies).toContain('GRANT EXECUTE ON FUNCTION pg_control_system()');
    expect(warnings.map(({ what }) => what).join()).not.toContain('synchronous_commit');
  });
});
