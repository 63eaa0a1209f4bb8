import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { one } from '../../src/store/sql/statement.ts';
import { SqliteReader } from '../../src/store/sqlite/thread/sqlite-connection.ts';
import { makeDirectory } from '../support/store/open-stores.ts';

const STATEMENTS = {
  count: 'SELECT count(*) AS things FROM things',
  broken: 'SELECT id FROM nowhere',
};

const statement = (name: keyof typeof STATEMENTS) => ({ name, parameters: [], sql: '' });

interface Opened {
  readonly reader: SqliteReader;
  readonly stuck: string[];
  readonly count: () => unknown;
  readonly add: () => void;
}

function open(): Opened {
  const directory = makeDirectory();
  const file = join(directory, 'things.db');
  const writer = new DatabaseSync(file);
  writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE things (id INTEGER PRIMARY KEY) STRICT');
  const stuck: string[] = [];
  const reader = new SqliteReader(file, STATEMENTS, (reason) => void stuck.push(reason));
  onTestFinished(() => {
    reader.close();
    writer.close();
    rmSync(directory, { recursive: true });
  });
  return {
    reader,
    stuck,
    count: () => reader.read(one(statement('count'), {}))?.['things'],
    add: () => writer.exec('INSERT INTO things DEFAULT VALUES'),
  };
}

const microtask = () => new Promise<void>((resolve) => queueMicrotask(resolve));

test('reads of one moment share a transaction, and later ones see what was written since', async () => {
  const { count, add } = open();
  expect([count(), count()]).toEqual([0, 0]);
  add();
  expect(count()).toBe(0);
  await microtask();
  expect(count()).toBe(1);
});

test('a read that is alone sees the last commit, and leaves no transaction behind', async () => {
  const { count, add } = open();
  for (const expected of [0, 1, 2]) {
    expect(count()).toBe(expected);
    add();
    await microtask();
  }
});

test('a statement that fails ends nothing that comes after it', async () => {
  const { reader, count, add } = open();
  expect(count()).toBe(0);
  expect(() => reader.read(one(statement('broken'), {}))).toThrow('nowhere');
  expect(count()).toBe(0);
  add();
  await microtask();
  expect([count(), count()]).toEqual([1, 1]);
});

test('it is closed in the middle of a shared transaction', async () => {
  const { reader, count } = open();
  expect([count(), count()]).toEqual([0, 0]);
  reader.close();
  await microtask();
  expect(reader.isOpen).toBe(false);
});

test('a shared transaction that can not be ended is reported, and ends no process', async () => {
  const { count, stuck } = open();
  expect([count(), count()]).toEqual([0, 0]);
  const run = Reflect.get(StatementSync.prototype, 'run');
  vi.spyOn(StatementSync.prototype, 'run').mockImplementation(function (
    this: StatementSync,
    ...values: Parameters<StatementSync['run']>
  ) {
    if (this.sourceSQL !== 'COMMIT') return Reflect.apply(run, this, values);
    throw new Error('disk I/O error');
  });
  await microtask();
  expect(stuck).toEqual(['disk I/O error']);
});
