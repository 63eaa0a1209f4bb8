import { describe, expect, it } from 'vitest';
import { Journal } from '../../journal/journal.ts';
import { Places } from './places.ts';
import { Waiters } from './waiters.ts';

/** Sleeps end when they are told to. */
class HeldTimer {
  #sleeping: (() => void)[] = [];
  #elapsed = 0;

  elapsed(): number {
    return this.#elapsed;
  }

  sleep(): Promise<void> {
    return new Promise((resolve) => void this.#sleeping.push(resolve));
  }

  get sleepers(): number {
    return this.#sleeping.length;
  }

  async pass(steps: number, stepMs = 50): Promise<void> {
    for (let step = 0; step < steps; step += 1) {
      if (this.sleepers > 0) this.#elapsed += stepMs;
      for (const wake of this.#sleeping.splice(0)) wake();
      await new Promise((resolve) => void setImmediate(resolve));
    }
  }
}

const nobodyLeaves = new AbortController().signal;

function waiting() {
  let looks = 0;
  const seen = new Map<string, string>();
  const [timer, journal] = [new HeldTimer(), new Journal()];
  const look = async (question: string) => {
    looks += 1;
    if (seen.get(question) === 'broken') throw new Error('The store can’t be read.');
    return seen.get(question) ?? 'pending';
  };
  const waiters = new Waiters({ look, keyOf: (question: string) => question, journal, timer });
  const ask = (question: string, signal = nobodyLeaves, ms = 10_000) =>
    waiters.wait({ question, isOver: (view) => view !== 'pending', ms, signal });
  return { ask, seen, timer, journal, looks: () => looks };
}

describe('those who wait', () => {
  it('share one look, however many they are, and one sleep', async () => {
    const { ask, seen, timer, looks } = waiting();
    const all = Array.from({ length: 100 }, () => ask('one'));
    await timer.pass(1);
    const before = looks();
    await timer.pass(20);
    expect(looks() - before).toBe(4);
    expect(timer.sleepers).toBe(1);
    seen.set('one', 'rejected');
    await timer.pass(5);
    expect(new Set(await Promise.all(all))).toEqual(new Set(['rejected']));
    await timer.pass(1);
    expect(timer.sleepers).toBe(0);
  });

  it('are answered in the next step when something was recorded', async () => {
    const { ask, seen, timer, journal } = waiting();
    const answer = ask('one');
    await timer.pass(1);
    seen.set('one', 'failed');
    journal.turn();
    await timer.pass(1);
    await expect(answer).resolves.toBe('failed');
  });

  it('are told that nothing has come after a look at that moment', async () => {
    const { ask, seen, timer } = waiting();
    const answer = ask('one', nobodyLeaves, 100);
    await timer.pass(2);
    seen.set('one', 'failed');
    await timer.pass(1);
    await expect(answer).resolves.toBe('failed');
  });

  it('wait no longer than they want where a step takes long', async () => {
    const { ask, timer } = waiting();
    const answer = ask('one', nobodyLeaves, 10_000);
    await timer.pass(1);
    await timer.pass(3, 5000);
    expect(timer.sleepers).toBe(0);
    await expect(answer).resolves.toBe('pending');
  });

  it('cost nothing any more when they have left', async () => {
    const { ask, timer, looks } = waiting();
    const leaving = new AbortController();
    const answer = ask('one', leaving.signal);
    await timer.pass(1);
    leaving.abort();
    await expect(answer).resolves.toBe('pending');
    const before = looks();
    await timer.pass(10);
    expect([looks() - before, timer.sleepers]).toEqual([0, 0]);
  });

  it('get the error of their own look, and the others wait on', async () => {
    const { ask, seen, timer } = waiting();
    const [broken, whole] = [ask('one'), ask('other')];
    const refused = expect(broken).rejects.toThrow('The store');
    await timer.pass(1);
    seen.set('one', 'broken');
    await timer.pass(5);
    await refused;
    seen.set('other', 'expired');
    await timer.pass(5);
    await expect(whole).resolves.toBe('expired');
  });
});

it('places are counted in all and by address, and are free again', () => {
  const places = new Places({ all: 3, ofAddress: 2 });
  const take = (address: string) => {
    if (places.isFullFor(address)) return false;
    places.take(address);
    return true;
  };
  expect(['a', 'a', 'a', 'b', 'c'].map(take)).toEqual([true, true, false, true, false]);
  places.leave('a');
  expect(['a', 'c'].map(take)).toEqual([true, false]);
});
