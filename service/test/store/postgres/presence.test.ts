import { expect, onTestFinished, test } from 'vitest';
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
