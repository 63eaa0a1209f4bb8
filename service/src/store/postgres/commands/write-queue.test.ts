import { describe, expect, test, vi } from 'vitest';
import { Refusal } from '../../../errors/refusal.ts';
import { StatementError } from '../../store-fault.ts';
import type { TouchingUnit } from './batch.ts';
import { PATIENCE_MS } from '../../sql/patience.ts';
import type { Deadline } from '../connections/deadline.ts';
import { WriteQueue, type WriteQueueOptions } from './write-queue.ts';

/** Replaces the database: holds each batch until the test decides its result. */
class HeldRunner {
  readonly batches: string[][] = [];
  /** Why a batch was given up. */
  readonly ended: string[] = [];
  readonly #answers = new Map<string, PromiseWithResolvers<void>>();

  async run(units: readonly TouchingUnit[], deadline: Deadline) {
    const names = units.map(nameOf);
    deadline.whenOver(() => this.ended.push(names.join(' ')));
    this.batches.push(names);
    const answer = Promise.withResolvers<void>();
    this.#answers.set(names.join(' '), answer);
    await answer.promise;
    return names.map((name) => [{ rows: [{ name }], changes: 0 }]);
  }

  async commit(...names: readonly string[]): Promise<void> {
    this.#take(names).resolve();
    await turn();
  }

  async fail(error: Error, ...names: readonly string[]): Promise<void> {
    this.#take(names).reject(error);
    await turn();
  }

  #take(names: readonly string[]): PromiseWithResolvers<void> {
    const answer = this.#answers.get(names.join(' '));
    if (answer === undefined) throw new Error(`there is no batch of ${names.join(' ')}`);
    this.#answers.delete(names.join(' '));
    return answer;
  }
}

function setUp(options: Partial<WriteQueueOptions> = {}) {
  const runner = new HeldRunner();
  const onCommit = vi.fn<(units: number) => void>();
  const timers = new Set<{ readonly ms: number; readonly work: () => void }>();
  const queue = new WriteQueue({
    run: (units, deadline) => runner.run(units, deadline),
    maxBatch: 100,
    maxQueue: 100,
    lanes: 2,
    deadlineMs: 5000,
    timer: {
      after: (ms, work) => {
        const one = { ms, work };
        timers.add(one);
        return () => void timers.delete(one);
      },
    },
    onBegin: () => onCommit,
    ...options,
  });
  const submit = (name: string, touches: TouchingUnit['touches'] = []) =>
    queue.submit(unit(name, touches)).then(
      (results) => String(results[0]?.rows[0]?.['name']),
      (error: unknown) => (error instanceof Refusal ? error.code : (error as Error).name),
    );
  /** All timers of this length have come to their end. */
  const pass = (ms: number) => {
    for (const one of [...timers].filter((timer) => timer.ms === ms)) {
      timers.delete(one);
      one.work();
    }
  };
  const submitPatient = (name: string, touches: TouchingUnit['touches'] = []) =>
    queue.submit(unit(name, touches), true);
  return { runner, queue, onCommit, submit, submitPatient, timers, pass };
}

function unit(statement: string, touches: TouchingUnit['touches']): TouchingUnit {
  return { steps: [{ statement, values: [], stopWhenEmpty: false }], audit: [], touches };
}

function nameOf({ steps }: TouchingUnit): string {
  return steps[0]?.statement ?? '';
}

/** Lets all pending callbacks run. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const REFUSED = new StatementError('PostgreSQL error 23505', '23505');
const AWAY = new Refusal('storage.unavailable');

describe('the order of writes', () => {
  test('units of one turn share a batch, each gets its own result', async () => {
    const { runner, submit, onCommit } = setUp();
    const done = Promise.all(['a', 'b', 'c'].map((name) => submit(name)));
    await turn();
    expect(runner.batches).toEqual([['a', 'b', 'c']]);
    await runner.commit('a', 'b', 'c');
    expect(await done).toEqual(['a', 'b', 'c']);
    expect(onCommit.mock.calls).toEqual([[3]]);
  });

  test('what touches the same is under way one at a time, in its order', async () => {
    const { runner, submit } = setUp();
    void submit('a1', ['a']);
    void submit('a2', ['a', 'b']);
    void submit('b1', ['b']);
    void submit('c1', ['c']);
    await turn();
    expect(runner.batches).toEqual([['a1', 'c1']]);
    await runner.commit('a1', 'c1');
    expect(runner.batches.slice(1)).toEqual([['a2']]);
    await runner.commit('a2');
    expect(runner.batches.slice(2)).toEqual([['b1']]);
  });

  test('a unit that nothing holds back does not wait behind one that is held back', async () => {
    const { runner, submit } = setUp();
    void submit('a1', ['a']);
    await turn();
    void submit('a2', ['a']);
    await turn();
    void submit('b1', ['b']);
    await turn();
    expect(runner.batches).toEqual([['a1'], ['b1']]);
    await runner.commit('b1');
    expect(runner.batches).toHaveLength(2);
    await runner.commit('a1');
    expect(runner.batches.slice(2)).toEqual([['a2']]);
  });

  test('what touches everything is alone, and nothing overtakes it', async () => {
    const { runner, submit } = setUp();
    void submit('a1', ['a']);
    await turn();
    void submit('a2', ['a']);
    void submit('all', 'everything');
    void submit('b1', ['b']);
    void submit('free');
    await turn();
    expect(runner.batches).toEqual([['a1']]);
    await runner.commit('a1');
    expect(runner.batches.slice(1)).toEqual([['a2']]);
    await runner.commit('a2');
    expect(runner.batches.slice(2)).toEqual([['all']]);
    void submit('c1', ['c']);
    await turn();
    expect(runner.batches).toHaveLength(3);
    await runner.commit('all');
    expect(runner.batches.slice(3)).toEqual([['b1', 'free', 'c1']]);
  });

  test('a batch and the batches under way have their limits', async () => {
    const { runner, submit } = setUp({ maxBatch: 2 });
    for (const name of ['a', 'b', 'c', 'd', 'e']) void submit(name);
    await turn();
    expect(runner.batches).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    await runner.commit('c', 'd');
    expect(runner.batches.slice(2)).toEqual([['e']]);
  });
});

describe('a batch that fails', () => {
  test('of a unit that the database refuses, only it is rejected', async () => {
    const { runner, submit, onCommit } = setUp();
    const done = Promise.all(['a', 'b', 'bad', 'c'].map((name) => submit(name, [name])));
    await turn();
    await runner.fail(REFUSED, 'a', 'b', 'bad', 'c');
    await runner.commit('a', 'b');
    await runner.fail(REFUSED, 'bad', 'c');
    await runner.fail(REFUSED, 'bad');
    await runner.commit('c');
    expect(await done).toEqual(['a', 'b', 'StatementError', 'c']);
    expect(onCommit.mock.calls).toEqual([[2], [1]]);
  });

  test('what touches the same waits until all parts of the batch have ended', async () => {
    const { runner, submit } = setUp();
    void submit('a1', ['a']);
    void submit('bad', ['b']);
    await turn();
    void submit('a2', ['a']);
    await runner.fail(REFUSED, 'a1', 'bad');
    await runner.commit('a1');
    expect(runner.batches).toEqual([['a1', 'bad'], ['a1'], ['bad']]);
    await runner.fail(REFUSED, 'bad');
    expect(runner.batches.at(-1)).toEqual(['a2']);
  });

  test('a fault of the connection rejects all of the batch, and nothing is run again', async () => {
    const { runner, submit, onCommit } = setUp();
    const done = Promise.all(['a', 'b'].map((name) => submit(name)));
    await turn();
    await runner.fail(AWAY, 'a', 'b');
    expect(await done).toEqual(['storage.unavailable', 'storage.unavailable']);
    expect(runner.batches).toHaveLength(1);
    expect(onCommit).not.toHaveBeenCalled();
    void submit('later');
    await turn();
    expect(runner.batches.at(-1)).toEqual(['later']);
  });
});

describe('the limits of the queue', () => {
  test('further units are refused with server.overloaded, those that wait are not', async () => {
    const { runner, submit } = setUp({ maxQueue: 2, lanes: 1 });
    const first = submit('first');
    await turn();
    const waiting = [submit('a'), submit('b')];
    expect(await submit('c')).toBe('server.overloaded');
    await runner.commit('first');
    await runner.commit('a', 'b');
    expect(await Promise.all([first, ...waiting])).toEqual(['first', 'a', 'b']);
  });

  test('a closed queue refuses new units and answers all earlier ones', async () => {
    const { runner, submit, queue } = setUp();
    const earlier = [submit('a1', ['a']), submit('a2', ['a'])];
    await turn();
    const ends: string[] = [];
    const closed = [1, 2].map((time) => queue.close().then(() => ends.push(`close ${time}`)));
    expect(await submit('late')).toBe('storage.unavailable');
    await runner.commit('a1');
    expect(ends).toEqual([]);
    await runner.commit('a2');
    expect(await Promise.all(earlier)).toEqual(['a1', 'a2']);
    await turn();
    expect(ends).toEqual(['close 1', 'close 2']);
    await Promise.all([...closed, queue.close()]);
  });
});

test('a unit that waits too long is refused, is never sent, and delays no close', async () => {
  const { runner, queue, submit, pass } = setUp({ lanes: 1 });
  const first = submit('first', ['a']);
  await turn();
  const second = submit('second', ['a']);
  await turn();
  const closed = queue.close();
  pass(4000);
  expect(await second).toBe('storage.unavailable');
  await runner.commit('first');
  expect(await first).toBe('first');
  await closed;
});

test('waiting is part of the time of a unit: its batch has what is left of it', async () => {
  const { runner, submit, pass, timers } = setUp({ lanes: 1 });
  const first = submit('first', ['a']);
  await turn();
  const second = submit('second', ['a']);
  await runner.commit('first');
  expect(runner.batches).toEqual([['first'], ['second']]);
  pass(4000);
  expect(runner.ended).toEqual([]);
  pass(1000);
  expect(runner.ended).toEqual(['second']);
  await runner.fail(AWAY, 'second');
  expect(await Promise.all([first, second])).toEqual(['first', 'storage.unavailable']);
  pass(PATIENCE_MS);
  expect(timers.size).toBe(0);
});

describe('patient units', () => {
  test('go with the next change, and alone when none has come for a while', async () => {
    const { runner, submit, submitPatient, pass } = setUp();
    void submit('first');
    await turn();
    await runner.commit('first');
    void submitPatient('a', ['a']);
    await turn();
    expect(runner.batches).toHaveLength(1);
    // It touches what the patient one does, so it waits for that.
    void submit('b', ['a']);
    await turn();
    expect(runner.batches.slice(1)).toEqual([['a']]);
    await runner.commit('a');
    expect(runner.batches.slice(2)).toEqual([['b']]);
    void submitPatient('c');
    await runner.commit('b');
    expect(runner.batches).toHaveLength(3);
    pass(PATIENCE_MS);
    expect(runner.batches.slice(3)).toEqual([['c']]);
    void submitPatient('d');
    await turn();
    expect(runner.batches.slice(4)).toEqual([['d']]);
  });

  test('wait from the end of the last change that is under way, also of one that fails', async () => {
    const { runner, submit, submitPatient, pass } = setUp();
    const slow = submit('slow');
    await turn();
    void submit('quick');
    await turn();
    await runner.commit('quick');
    void submitPatient('held');
    await turn();
    pass(PATIENCE_MS);
    expect(runner.batches).toEqual([['slow'], ['quick']]);
    await runner.fail(AWAY, 'slow');
    expect(await slow).toBe('storage.unavailable');
    expect(runner.batches).toHaveLength(2);
    pass(PATIENCE_MS);
    expect(runner.batches.slice(2)).toEqual([['held']]);
  });

  test('share the batch of a change', async () => {
    const { runner, submit, submitPatient } = setUp();
    void submit('first');
    await turn();
    void submitPatient('held');
    await turn();
    void submit('second');
    await turn();
    expect(runner.batches).toEqual([['first'], ['held', 'second']]);
  });

  test('are written when the queue is closed', async () => {
    const { runner, queue, submit, submitPatient } = setUp();
    void submit('first');
    await turn();
    const held = submitPatient('held');
    await turn();
    const closed = queue.close();
    await runner.commit('first');
    await runner.commit('held');
    await Promise.all([held, closed]);
  });
});
