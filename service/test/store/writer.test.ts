import { join } from 'node:path';
import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Pragma, WorkerSettings } from '../../src/store/sqlite/thread/worker-protocol.ts';
import { OpenFault, Writer } from '../../src/store/sqlite/thread/writer.ts';
import type { Step, SqlValue } from '../../src/store/sql/statement.ts';
import { makeDirectory } from '../support/store/open-stores.ts';
import { unitOf } from '../support/store/unit-of.ts';

const STATEMENTS = {
  insert: 'INSERT INTO things (id, note) VALUES (?, ?)',
  find: 'SELECT id, note FROM things WHERE id = ?',
  all: 'SELECT id FROM things ORDER BY id',
};

let directory: string;
let writer: Writer | null = null;

beforeEach(() => {
  directory = makeDirectory();
  const database = new DatabaseSync(join(directory, 'things.db'));
  database.exec('CREATE TABLE things (id INTEGER PRIMARY KEY, note TEXT NOT NULL) STRICT');
  database.close();
});

afterEach(() => {
  writer?.release();
  writer = null;
  rmSync(directory, { recursive: true });
});

function open(pragmas: readonly Pragma[] = []): Writer {
  const settings: WorkerSettings = {
    file: join(directory, 'things.db'),
    lockFile: join(directory, 'things.lock'),
    lockWaitMs: 0,
    pragmas,
    verifyLog: true,
    verify: true,
    maxLogPages: 4096,
    statements: STATEMENTS,
    auditKey: new Uint8Array(),
  };
  writer = new Writer(settings);
  return writer;
}

function step(statement: keyof typeof STATEMENTS, ...values: SqlValue[]): Step {
  return { statement, values, stopWhenEmpty: false };
}

function idsIn(from: Writer): unknown {
  const reply = from.runBatch([unitOf(step('all'))]);
  return reply.outcome === 'committed' ? reply.units[0] : reply;
}

function ids(...numbers: number[]) {
  return { results: [{ rows: numbers.map((id) => ({ id })), changes: 0 }] };
}

describe('a batch', () => {
  test('gives each unit its own results, in order', () => {
    const units = [
      unitOf(step('insert', 1, 'one'), step('find', 1)),
      unitOf(step('insert', 2, 'two')),
      unitOf(step('find', 2)),
    ];
    expect(open().runBatch(units)).toEqual({
      outcome: 'committed',
      units: [
        {
          results: [
            { rows: [], changes: 1 },
            { rows: [{ id: 1, note: 'one' }], changes: 0 },
          ],
        },
        { results: [{ rows: [], changes: 1 }] },
        { results: [{ rows: [{ id: 2, note: 'two' }], changes: 0 }] },
      ],
    });
  });

  test('stops a unit after a guard that gave no row', () => {
    const units = [unitOf({ ...step('find', 7), stopWhenEmpty: true }, step('insert', 7, 'x'))];
    const target = open();
    expect(target.runBatch(units)).toMatchObject({ units: [{ results: [{ rows: [] }] }] });
    expect(idsIn(target)).toEqual(ids());
  });

  test('undoes a failing unit as a whole, and no other', () => {
    const target = open();
    const reply = target.runBatch([
      unitOf(step('insert', 1, 'one')),
      unitOf(step('insert', 2, 'two'), step('insert', 1, 'again')),
      unitOf(step('insert', 3, 'three'), step('insert', 4, null)),
      unitOf(step('insert', 5, 'five'), step('find', 5)),
    ]);
    expect(reply).toMatchObject({
      outcome: 'committed',
      units: [{ results: [{}] }, { fault: {} }, { fault: {} }, { results: [{}, {}] }],
    });
    expect(idsIn(target)).toEqual(ids(1, 5));
  });

  test('survives a unit that SQL does not understand', () => {
    const target = open();
    const unknown = { statement: 'no such statement', values: [1], stopWhenEmpty: false };
    const reply = target.runBatch([unitOf(unknown), unitOf(step('insert', 1, 'one'))]);
    expect(reply).toMatchObject({ units: [{ fault: {} }, { results: [{ changes: 1 }] }] });
  });

  test('is rolled back whole when the disk is full, and runs again when there is space', () => {
    const target = open([{ name: 'max_page_count', value: 8, expected: 8 }]);
    const long = 'x'.repeat(30_000);
    const units = [unitOf(step('insert', 1, 'one')), unitOf(step('insert', 2, long))];
    expect(target.runBatch(units)).toMatchObject({ outcome: 'rolled_back', fault: { code: 13 } });
    expect(idsIn(target)).toEqual(ids());
    expect(target.runBatch([unitOf(step('insert', 1, 'one'))])).toMatchObject({
      outcome: 'committed',
    });
  });
});

describe('opening', () => {
  test('a setting that does not read back as it was written is refused', () => {
    const refused = [{ name: 'synchronous', value: 'OFF', expected: 2 }];
    expect(() => open(refused)).toThrow(expect.objectContaining({ stage: 'setting' }));
    expect(() => open(refused)).toThrow(OpenFault);
  });

  test('the lock is refused while another has it', () => {
    open();
    expect(() => open()).toThrow(expect.objectContaining({ stage: 'lock' }));
  });
});
