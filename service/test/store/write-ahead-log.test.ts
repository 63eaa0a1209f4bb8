import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { PROBE_STATEMENT, SPACE_PROBE } from '../../src/store/sqlite/thread/sqlite-connection.ts';
import { Writer } from '../../src/store/sqlite/thread/writer.ts';
import { makeDirectory } from '../support/store/open-stores.ts';
import { unitOf } from '../support/store/unit-of.ts';

const MAX_LOG_PAGES = 50;
/** Rows are added one at a time; each is its own transaction of one or two pages. */
const TRANSACTIONS = 1000;
/** A page and its header in the log. */
const PAGE_IN_LOG = 4096 + 24;

const SQLITE_FULL = 13;
const SQLITE_IOERR_WRITE = 778;

let directory: string;
let writer: Writer;
/** The sizes of the log that were reported. */
let reported: number[];

beforeEach(() => {
  reported = [];
  directory = makeDirectory();
  const file = join(directory, 'things.db');
  const database = new DatabaseSync(file);
  database.exec('CREATE TABLE things (id INTEGER PRIMARY KEY) STRICT');
  database.close();
  writer = new Writer({
    file,
    lockFile: join(directory, 'things.lock'),
    lockWaitMs: 0,
    pragmas: [
      { name: 'journal_mode', value: 'WAL', expected: 'wal' },
      { name: 'synchronous', value: 'OFF', expected: 0 },
      { name: 'wal_autocheckpoint', value: 0, expected: 0 },
    ],
    verifyLog: true,
    verify: true,
    maxLogPages: MAX_LOG_PAGES,
    statements: { ...PROBE_STATEMENT, insert: 'INSERT INTO things DEFAULT VALUES' },
    auditKey: new Uint8Array(),
  });
});

afterEach(() => {
  writer.release();
  rmSync(directory, { recursive: true });
});

/** As the writing thread does it. */
function insert() {
  const reply = writer.runBatch([
    unitOf({ statement: 'insert', values: [], stopWhenEmpty: false }),
  ]);
  const bytes = writer.checkpointIfDue();
  if (bytes !== null) reported.push(bytes);
  return reply;
}

function insertMany(): void {
  for (let done = 0; done < TRANSACTIONS; done += 1) insert();
}

function logSize(): number {
  return statSync(join(directory, 'things.db-wal')).size;
}

/** Every checkpoint fails with this code, until it is 0. */
function failCheckpoints(): { code: number } {
  const failing = { code: 0 };
  const get = Reflect.get(StatementSync.prototype, 'get');
  vi.spyOn(StatementSync.prototype, 'get').mockImplementation(function (
    this: StatementSync,
    ...values: Parameters<StatementSync['get']>
  ) {
    const isCheckpoint = /wal_checkpoint\((?:PASSIVE|TRUNCATE)/.test(this.sourceSQL);
    if (failing.code === 0 || !isCheckpoint) return Reflect.apply(get, this, values);
    throw Object.assign(new Error('no checkpoint'), { errcode: failing.code });
  });
  return failing;
}

describe('the write-ahead log', () => {
  test('is moved before it is longer than its limit, however small each transaction is', () => {
    for (let done = 0; done < TRANSACTIONS; done += 1) {
      expect(insert()).toMatchObject({ outcome: 'committed' });
    }
    expect(logSize()).toBeLessThan((MAX_LOG_PAGES + 10) * PAGE_IN_LOG);
  });

  test('grows while somebody reads, which is reported once, and begins again after it', () => {
    const reader = new DatabaseSync(join(directory, 'things.db'), { readOnly: true });
    onTestFinished(() => reader.close());
    for (const times of [1, 2]) {
      reader.exec('BEGIN; SELECT count(*) FROM things');
      insertMany();
      expect(reported, 'once for each reader').toHaveLength(times);
      const longest = (4 * MAX_LOG_PAGES + 10) * PAGE_IN_LOG;
      expect(reported.at(-1)).toBeGreaterThan(4 * MAX_LOG_PAGES * PAGE_IN_LOG);
      expect(reported.at(-1)).toBeLessThan(longest);
      expect(logSize()).toBeGreaterThan(longest);
      reader.exec('COMMIT');
      insertMany();
      writer.flush();
      expect(logSize()).toBe(0);
    }
  });

  test('gets no more pages while there is no space to move it, until the trial write moved it', () => {
    const failing = failCheckpoints();
    failing.code = SQLITE_FULL;
    const replies = Array.from({ length: TRANSACTIONS }, insert);
    const size = logSize();
    expect(size).toBeLessThan((MAX_LOG_PAGES + 10) * PAGE_IN_LOG);
    const refused = { outcome: 'rolled_back', fault: { code: SQLITE_FULL } };
    expect(replies.at(-1)).toMatchObject(refused);
    expect(writer.runBatch([SPACE_PROBE])).toMatchObject(refused);

    failing.code = 0;
    expect(insert(), 'nobody has looked').toMatchObject(refused);
    expect(writer.runBatch([SPACE_PROBE])).toMatchObject({ outcome: 'committed' });
    expect(insert()).toMatchObject({ outcome: 'committed' });
    expect(logSize(), 'the log begins anew').toBe(size);
  });

  test('that can not be moved for another reason is a fault of its own', () => {
    failCheckpoints().code = SQLITE_IOERR_WRITE;
    expect(writer.runBatch([SPACE_PROBE])).toMatchObject({
      outcome: 'rolled_back',
      fault: { code: SQLITE_IOERR_WRITE },
    });
    expect(() => {
      for (let done = 0; done < TRANSACTIONS; done += 1) insert();
    }).toThrow('no checkpoint');
  });
});
