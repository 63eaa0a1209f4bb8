import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { MovableTime } from '../../platform/movable-time.ts';
import { FakeClock } from '../../../test/support/fakes.ts';
import { Journal } from '../../journal/journal.ts';
import type { AllPrompts } from '../all-prompts.ts';
import { AttemptNews } from './attempt-news.ts';
import { ScopeNews } from './scope-news.ts';
import type { TimeLines } from '../attempts/time-lines.ts';

/** Sleeps end when they are told to, or by their signal. */
class HeldTimer {
  #sleeping: (() => void)[] = [];

  elapsed(): number {
    return 0;
  }

  sleep(_: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#sleeping.push(resolve);
      signal.addEventListener('abort', () => resolve());
    });
  }

  passAll(): void {
    for (const wake of this.#sleeping.splice(0)) wake();
  }
}

const turns = () => new Promise((resolve) => void setImmediate(resolve));

function watched() {
  let looks = 0;
  const prompts = {
    async waiting() {
      looks += 1;
      return [];
    },
  } as unknown as AllPrompts;
  const timer = new HeldTimer();
  const attempts = new AttemptNews({} as TimeLines, new Journal());
  const time = new MovableTime(new FakeClock(), timer);
  const news = new ScopeNews({ prompts, attempts, time, timer });
  return { news, timer, looks: () => looks };
}

function reader() {
  const written: string[] = [];
  let isDestroyed = false;
  const response = Object.assign(new EventEmitter(), {
    write: (text: string) => void written.push(text),
    destroy() {
      isDestroyed = true;
      response.emit('close');
    },
  });
  const destroyed = () => isDestroyed;
  return { written, destroyed, response: response as unknown as ServerResponse };
}

describe('the news of a scope', () => {
  it('are looked for once for all readers, however often a page comes back', async () => {
    const { news, timer, looks } = watched();
    for (let turn = 0; turn < 20; turn += 1) {
      const { response } = reader();
      news.add(response, { scope: 'default', address: '127.0.0.1' });
      await turns();
      response.emit('close');
    }
    const last = reader();
    news.add(last.response, { scope: 'default', address: '127.0.0.1' });
    await turns();
    const before = looks();
    timer.passAll();
    await turns();
    expect(looks() - before).toBe(1);
    expect(last.written).toHaveLength(1);
  });

  it('are told to a reader at once who comes while others watch', async () => {
    const { news } = watched();
    const [first, second] = [reader(), reader()];
    news.add(first.response, { scope: 'default', address: '127.0.0.1' });
    await turns();
    news.add(second.response, { scope: 'other', address: '127.0.0.1' });
    await turns();
    expect([first.written.length, second.written.length]).toEqual([1, 1]);
  });

  it('are looked for again by the next reader after the last one has left', async () => {
    const { news, timer, looks } = watched();
    const { response } = reader();
    news.add(response, { scope: 'default', address: '127.0.0.1' });
    await turns();
    response.emit('close');
    timer.passAll();
    await turns();
    const { written, response: later } = reader();
    news.add(later, { scope: 'default', address: '127.0.0.1' });
    await turns();
    expect([looks(), written.length]).toEqual([2, 1]);
  });

  it('have places for others when one machine has taken its share', async () => {
    const { news } = watched();
    const places = (address: string, most: number) => {
      let taken = 0;
      for (; taken < most && !news.isFullFor(address); taken += 1) {
        news.add(reader().response, { scope: 'default', address });
      }
      return taken;
    };
    expect([places('a', 200), places('b', 200), places('a', 1)]).toEqual([20, 20, 0]);
    expect([places('c', 200), places('d', 200), places('e', 200)]).toEqual([20, 20, 20]);
    expect(places('f', 1)).toBe(0);
  });

  it('end with a reader that takes nothing for a minute, and not with a slow one', async () => {
    const { news, timer } = watched();
    const [stuck, slow] = [reader(), reader()];
    for (const { response } of [stuck, slow]) {
      news.add(response, { scope: 'default', address: '127.0.0.1' });
      Object.assign(response, { writableNeedDrain: true });
    }
    const pass = async (seconds: number) => {
      for (let step = 0; step < seconds * 4; step += 1) {
        timer.passAll();
        await turns();
      }
    };
    await pass(40);
    Object.assign(slow.response, { writableNeedDrain: false });
    await pass(1);
    Object.assign(slow.response, { writableNeedDrain: true });
    expect([stuck.destroyed(), slow.destroyed()]).toEqual([false, false]);
    await pass(40);
    expect([stuck.destroyed(), slow.destroyed()]).toEqual([true, false]);
  });
});
