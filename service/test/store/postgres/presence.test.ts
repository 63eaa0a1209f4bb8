import { expect, onTestFinished, test } from 'vitest';
import { WRITES_LOCK } from '../../../src/store/postgres/own-locks.ts';
import { ask, migratedDatabase } from '../../support/postgres/databases.ts';
import { openClient } from '../../support/postgres/connection.ts';
import { openInstance } from '../../support/postgres/shared-state.ts';

const SOON = { interval: 50 };

const open = (url: string) => openInstance(url, onTestFinished, undefined, { connections: 1 });

test('while a command is alone on a database no program gets in, and one that waits goes on after it', async () => {
  const url = await migratedDatabase();
  const command = await open(url);
  const other = await command.alone(async () => {
    const waiting = await open(url);
    expect(JSON.stringify(waiting.store.health())).toContain(
      'a command that has to be alone works on this database',
    );
    return waiting;
  });
  await command.store.close();
  await expect.poll(() => other.store.health(), SOON).toEqual({ ready: true });
});

test('a session that nobody knows counts as there, and one of another program does not', async () => {
  const url = await migratedDatabase();
  const command = await open(url);
  const unnamed = await openClient(url);
  onTestFinished(() => unnamed.end());
  const epoch = () => ask(url, 'SELECT epoch::text FROM store_epoch');
  const before = await epoch();
  await expect(command.alone(() => Promise.reject(new Error('it ran')))).rejects.toThrow(
    'the database is in use: a program without a name (role ',
  );
  expect(await epoch()).toEqual(before);
  await command.store.close();
  await unnamed.query("SET application_name = 'psql'");
  const again = await open(url);
  expect(await again.alone(() => Promise.resolve('it ran'))).toBe('it ran');
  expect(await epoch()).not.toEqual(before);
});

const [OLD, NEW] = [1, 2];
const member = (writes: number[], keys: number[]) => ({ keys, writes, strict: null });

const withKeys = (url: string, writes: number[], keys: number[]) =>
  openInstance(url, onTestFinished, undefined, {
    membership: member(writes, keys),
    onRefused: () => undefined,
  });

test('an instance writes with another key when all others know it, and not before', async () => {
  const url = await migratedDatabase();
  const [one, other] = [await withKeys(url, [OLD], [OLD, NEW]), await withKeys(url, [OLD], [OLD])];
  const next = member([NEW], [OLD, NEW]);
  await expect(one.keys.requireFit(next)).rejects.toThrow(
    'runs without the SECRET_KEY of this one',
  );
  await other.keys.show(member([OLD], [OLD, NEW]));
  await one.keys.requireFit(next);
  await one.keys.show(member([OLD, NEW], [OLD, NEW]));
  // It may write with either now.
  await expect(withKeys(url, [NEW], [NEW])).rejects.toThrow('that this one does not have');
  await expect(withKeys(url, [OLD], [OLD])).rejects.toThrow('that this one does not have');
  await one.keys.show(next);
  await other.keys.show(next);
  // No session of before is left.
  const third = await withKeys(url, [NEW], [NEW]);
  expect([one, other, third].map(({ store }) => store.health().ready)).toEqual([true, true, true]);
});

test('one without a session for a moment, when a key is changed, is waited for', async () => {
  const url = await migratedDatabase();
  const one = await withKeys(url, [OLD], [OLD, NEW]);
  const asked = one.keys.requireFit(member([NEW], [OLD, NEW]));
  const refused = expect(asked).rejects.toThrow('runs without the SECRET_KEY of this one');
  await withKeys(url, [OLD], [OLD]);
  await refused;
});

test('where another one does not know the key, the old one is shown as before, and nobody ends', async () => {
  const url = await migratedDatabase();
  const refused: Error[] = [];
  const one = await openInstance(url, onTestFinished, undefined, {
    membership: member([OLD], [OLD, NEW]),
    onRefused: (error) => void refused.push(error),
  });
  const other = await withKeys(url, [OLD], [OLD]);
  await expect(one.keys.show(member([OLD, NEW], [OLD, NEW]))).rejects.toThrow(
    'runs without the SECRET_KEY of this one',
  );
  expect(refused).toEqual([]);
  await expect.poll(() => one.store.health(), SOON).toEqual({ ready: true });
  await withKeys(url, [OLD], [OLD]);
  expect(other.store.health()).toEqual({ ready: true });
});

test('what has begun is waited for, before a key counts as known', async () => {
  const url = await migratedDatabase();
  const one = await withKeys(url, [OLD], [OLD]);
  const holder = await openClient(url);
  onTestFinished(() => holder.end());
  await holder.query(`BEGIN; SELECT pg_advisory_xact_lock${WRITES_LOCK}`);
  const writing = one.store.recordEvent({ at: 1, action: 'service.started' });
  let isSettled = false;
  const settled = one.keys.settled().then(() => (isSettled = true));
  await ask(url, 'SELECT 1');
  expect(isSettled).toBe(false);
  await holder.query('COMMIT');
  await Promise.all([writing, settled]);
  expect(await one.store.readAudit({ after: 0, limit: 9 })).toHaveLength(1);
});
