import { describe, expect, test, vi } from 'vitest';
import { GroupCommit, type GroupCommitOptions } from '../../src/store/sqlite/sqlite-engine.ts';
import { RESULT } from '../../src/store/sqlite/result-codes.ts';
import type { BatchReply, SqlFault } from '../../src/store/sqlite/worker-protocol.ts';
import type { Unit, StepResult } from '../../src/store/sql/statement.ts';
import { StatementError } from '../../src/store/store-fault.ts';
import { unitOf } from '../support/store/unit-of.ts';

const FSYNC_FAILED: SqlFault = { code: 1034, message: 'disk I/O error' };
const DISK_FULL: SqlFault = { code: RESULT.full, message: 'database or disk is full' };
const CONSTRAINT: SqlFault = { code: RESULT.constraint, message: 'UNIQUE constraint failed' };

/** Replaces the writing thread: holds each batch until the test decides its result. */
class HeldRunner {
  readonly batches: (readonly Unit[])[] = [];
  readonly broken: Promise<string>;
  readonly breakDown: (reason: string) => void;
  #answer: PromiseWithResolvers<BatchReply> | null = null;

  constructor() {
    const { promise, resolve } = Promise.withResolvers<string>();
    this.broken = promise;
    this.breakDown = resolve;
  }

  run(units: readonly Unit[]): Promise<BatchReply> {
    this.batches.push(units);
    this.#answer = Promise.withResolvers<BatchReply>();
    return this.#answer.promise;
  }

  /** Every unit returns its own name, unless the test makes it fail. */
  async commit(faults: Readonly<Record<string, SqlFault>> = {}): Promise<void> {
    const names = (this.batches.at(-1) ?? []).map((one) => nameOf(one));
    const units = names.map((name) => {
      const fault = faults[name];
      return fault === undefined ? { results: [{ rows: [{ name }], changes: 0 }] } : { fault };
    });
    await this.reply({ outcome: 'committed', units });
  }

  async reply(reply: BatchReply): Promise<void> {
    this.#answer?.resolve(reply);
    await turn();
  }

  async die(): Promise<void> {
    this.#answer?.reject(new Error('the thread is gone'));
    await turn();
  }
}

function setUp(options: Partial<GroupCommitOptions> = {}) {
  const runner = new HeldRunner();
  const onPoisoned = vi.fn<(reason: string) => void>();
  const onCommit = vi.fn<(units: number) => void>();
  const onBegin = () => onCommit;
  const settings = { maxBatch: 100, maxQueue: 100, onBegin, onPoisoned, ...options };
  return { runner, onPoisoned, onCommit, writes: new GroupCommit(runner, settings) };
}

function unit(name: string): Unit {
  return unitOf({ statement: name, values: [], stopWhenEmpty: false });
}

function nameOf({ steps }: Unit): string {
  return steps[0]?.statement ?? '';
}

function namesIn(results: readonly StepResult[]): unknown {
  return results.map(({ rows }) => rows[0]?.['name']);
}

/** Lets all pending callbacks run. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('group commit', () => {
  test('what arrives while one batch is written goes into the next, in order', async () => {
    const { runner, onCommit, writes } = setUp();
    const first = writes.submit(unit('first'));
    await turn();
    const names = Array.from({ length: 50 }, (_, index) => `unit ${index}`);
    const rest = names.map((name) => writes.submit(unit(name)));
    await turn();
    expect(runner.batches).toHaveLength(1);
    await runner.commit();
    expect(namesIn(await first)).toEqual(['first']);
    expect(runner.batches[1]?.map(nameOf)).toEqual(names);
    await runner.commit();
    expect((await Promise.all(rest)).map(namesIn)).toEqual(names.map((name) => [name]));
    expect(onCommit.mock.calls).toEqual([[1], [50]]);
  });

  test('units of one turn share the first batch, too', async () => {
    const { runner, writes } = setUp();
    const done = Promise.all([writes.submit(unit('a')), writes.submit(unit('b'))]);
    await turn();
    expect(runner.batches[0]?.map(nameOf)).toEqual(['a', 'b']);
    await runner.commit();
    await done;
  });

  test('no promise resolves before its commit', async () => {
    const { runner, writes } = setUp();
    let isDone = false;
    const write = writes.submit(unit('a')).then(() => (isDone = true));
    await turn();
    expect(isDone).toBe(false);
    await runner.commit();
    await write;
    expect(isDone).toBe(true);
  });

  test('a batch holds at most its limit; with 1 every unit has a commit of its own', async () => {
    const { runner, writes } = setUp({ maxBatch: 1 });
    const done = Promise.all(['a', 'b', 'c'].map((name) => writes.submit(unit(name))));
    await turn();
    for (let commit = 0; commit < 3; commit += 1) await runner.commit();
    await done;
    expect(runner.batches.map((batch) => batch.map(nameOf))).toEqual([['a'], ['b'], ['c']]);
  });

  test('a full queue refuses the next unit and keeps the ones that wait', async () => {
    const { runner, writes } = setUp({ maxQueue: 2 });
    const waiting = [writes.submit(unit('a')), writes.submit(unit('b'))];
    await expect(writes.submit(unit('c'))).rejects.toThrow('server.overloaded');
    await turn();
    await runner.commit();
    expect((await Promise.all(waiting)).map(namesIn)).toEqual([['a'], ['b']]);
  });

  test('a unit that fails does not touch its neighbours', async () => {
    const { runner, writes } = setUp();
    const [before, failing, after] = ['a', 'b', 'c'].map((name) => writes.submit(unit(name)));
    await turn();
    const refusal = expect(failing).rejects.toThrow(StatementError);
    await runner.commit({ b: CONSTRAINT });
    await refusal;
    expect(namesIn((await before) ?? [])).toEqual(['a']);
    expect(namesIn((await after) ?? [])).toEqual(['c']);
    expect(writes.poison).toBeNull();
  });

  test('close waits for what was accepted, and refuses the rest', async () => {
    const { runner, writes } = setUp({ maxBatch: 1 });
    const accepted = [writes.submit(unit('a')), writes.submit(unit('b'))];
    let isClosed = false;
    const closed = writes.close().then(() => (isClosed = true));
    await expect(writes.submit(unit('c'))).rejects.toThrow('storage.unavailable');
    await turn();
    await runner.commit();
    expect(isClosed).toBe(false);
    await runner.commit();
    await closed;
    expect((await Promise.all(accepted)).map(namesIn)).toEqual([['a'], ['b']]);
  });
});

describe('group commit, when the disk fails', () => {
  test('S-4: a full disk refuses the batch and nothing more', async () => {
    const { runner, writes, onPoisoned } = setUp();
    const refused = expect(writes.submit(unit('a'))).rejects.toThrow('storage.unavailable');
    await turn();
    await runner.reply({ outcome: 'rolled_back', fault: DISK_FULL });
    await refused;
    const later = writes.submit(unit('b'));
    await turn();
    await runner.commit();
    expect(namesIn(await later)).toEqual(['b']);
    expect(onPoisoned).not.toHaveBeenCalled();
  });

  test('S-4: a failed flush leaves the outcome unknown and shuts the store', async () => {
    const { runner, writes, onPoisoned } = setUp();
    const written = expect(writes.submit(unit('a'))).rejects.toThrow('storage.outcome_unknown');
    await turn();
    const queued = expect(writes.submit(unit('b'))).rejects.toThrow('storage.unavailable');
    await runner.reply({ outcome: 'unknown', fault: FSYNC_FAILED, undone: true });
    await Promise.all([written, queued]);
    await expect(writes.submit(unit('c'))).rejects.toThrow('storage.unavailable');
    expect(runner.batches).toHaveLength(1);
    expect(writes.poison).toBe(FSYNC_FAILED.message);
    expect(onPoisoned.mock.calls).toEqual([[FSYNC_FAILED.message]]);
  });

  test('S-4: an error of the disk before the commit had no effect, and shuts the store', async () => {
    const { runner, writes } = setUp();
    const refused = expect(writes.submit(unit('a'))).rejects.toThrow('storage.unavailable');
    await turn();
    await runner.reply({ outcome: 'rolled_back', fault: FSYNC_FAILED });
    await refused;
    expect(writes.poison).toBe(FSYNC_FAILED.message);
  });

  test('S-4: with a thread that dies the outcome is unknown', async () => {
    const { runner, writes, onPoisoned } = setUp();
    const written = expect(writes.submit(unit('a'))).rejects.toThrow('storage.outcome_unknown');
    await turn();
    await runner.die();
    await written;
    expect(onPoisoned).toHaveBeenCalledOnce();
  });

  test('a failure between two batches shuts the store, and is told once', async () => {
    const { runner, writes, onPoisoned } = setUp();
    runner.breakDown('the checkpoint failed');
    await turn();
    await expect(writes.submit(unit('a'))).rejects.toThrow('storage.unavailable');
    writes.poisonWith('something else');
    expect(onPoisoned.mock.calls).toEqual([['the checkpoint failed']]);
  });
});
