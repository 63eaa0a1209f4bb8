import { describe, expect, test, vi } from 'vitest';
import { GroupCommit, type GroupCommitOptions } from '../../src/store/sqlite/group-commit.ts';
import { RESULT } from '../../src/store/sqlite/thread/result-codes.ts';
import type { BatchReply, SqlFault } from '../../src/store/sqlite/thread/worker-protocol.ts';
import type { Timer } from '../../src/platform/runtime.port.ts';
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

/** Timers that run when the test says so. */
function handTimer() {
  const works = new Set<() => void>();
  const timer: Timer = {
    after: (_, work) => {
      works.add(work);
      return () => void works.delete(work);
    },
  };
  const pass = async () => {
    for (const work of works) {
      works.delete(work);
      work();
    }
    await turn();
  };
  return { timer, works, pass };
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

function patientSetUp() {
  const hand = handTimer();
  const { runner, writes } = setUp({ timer: hand.timer });
  const submit = (name: string) => writes.submit(unit(name));
  const submitPatient = (name: string) => writes.submit(unit(name), true);
  const batches = () => runner.batches.map((batch) => batch.map(nameOf).join(' '));
  /** After it the next change is expected soon. */
  const begin = async () => {
    const first = submit('first');
    await turn();
    await runner.commit();
    await first;
  };
  return { ...hand, runner, writes, submit, submitPatient, batches, begin };
}

describe('patient units', () => {
  test('have no commit of their own while others come, and go with them in their order', async () => {
    const { runner, submit, submitPatient, batches, begin } = patientSetUp();
    await begin();
    const before = submitPatient('before');
    await turn();
    expect(batches()).toEqual(['first']);
    const other = submit('other');
    const after = submitPatient('after');
    await turn();
    expect(batches()).toEqual(['first', 'before other after']);
    const during = submitPatient('during');
    await runner.commit();
    await Promise.all([before, other, after]);
    expect(batches()).toHaveLength(2);
    void submit('last');
    await turn();
    expect(batches()[2]).toBe('during last');
    await runner.commit();
    expect(namesIn(await during)).toEqual(['during']);
  });

  test('are written alone when no other has come for a while, and from then on at once', async () => {
    const { runner, works, pass, submitPatient, batches, begin } = patientSetUp();
    await begin();
    const held = submitPatient('held');
    await pass();
    expect(batches()).toEqual(['first', 'held']);
    await runner.commit();
    await held;
    for (const name of ['second', 'third']) {
      const alone = submitPatient(name);
      await turn();
      expect(batches().at(-1)).toBe(name);
      await runner.commit();
      await alone;
    }
    expect(works.size).toBe(0);
  });

  test('wait from the end of a commit of others, however slow it is, and of one that failed', async () => {
    const { runner, pass, submit, submitPatient, batches } = patientSetUp();
    void submit('slow');
    await turn();
    const first = submitPatient('first held');
    await pass();
    await runner.commit();
    expect(batches()).toEqual(['slow']);
    await pass();
    expect(batches().slice(1)).toEqual(['first held']);
    await runner.commit();
    await first;
    const failed = expect(submit('failed')).rejects.toThrow('storage.unavailable');
    await turn();
    void submitPatient('second held');
    await pass();
    await runner.reply({ outcome: 'rolled_back', fault: DISK_FULL });
    await failed;
    expect(batches().slice(2)).toEqual(['failed']);
    await pass();
    expect(batches().slice(3)).toEqual(['second held']);
  });

  test('that fail do not touch the request that they go with', async () => {
    const { runner, submit, submitPatient, begin } = patientSetUp();
    await begin();
    const refused = expect(submitPatient('patient')).rejects.toThrow(StatementError);
    const request = submit('request');
    await turn();
    await runner.commit({ patient: CONSTRAINT });
    await refused;
    expect(namesIn(await request)).toEqual(['request']);
  });

  test('are written when the store is closed, also behind a batch that is under way', async () => {
    const { runner, writes, works, submit, submitPatient, batches, begin } = patientSetUp();
    await begin();
    const request = submit('request');
    await turn();
    const held = submitPatient('held');
    const closed = writes.close();
    await runner.commit();
    await request;
    expect(batches().at(-1)).toBe('held');
    await runner.commit();
    await Promise.all([held, closed]);
    expect(works.size).toBe(0);
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
