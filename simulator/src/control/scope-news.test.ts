import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { MovableTime } from '../movable-time.ts';
import { FakeClock } from '../../test/support/fakes.ts';
import { Journal } from '../journal/journal.ts';
import type { AllPrompts } from './all-prompts.ts';
import { AttemptNews } from './attempt-news.ts';
import { ScopeNews } from './scope-news.ts';
import type { TimeLines } from './time-lines.ts';

/** Sleeps end when they are told to, or by their signal. */
class HeldTimer {
  #sleeping: (() => void)[] = [];

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
  const response = Object.assign(new EventEmitter(), {
    write: (text: string) => void written.push(text),
  });
  return { written, response: response as unknown as ServerResponse };
}

describe('the news of a scope', () => {
  it('are looked for once for all readers, however often a page comes back', async () => {
    const { news, timer, looks } = watched();
    for (let turn = 0; turn < 20; turn += 1) {
      const { response } = reader();
      news.add(response, 'default');
      await turns();
      response.emit('close');
    }
    const last = reader();
    news.add(last.response, 'default');
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
    news.add(first.response, 'default');
    await turns();
    news.add(second.response, 'other');
    await turns();
    expect([first.written.length, second.written.length]).toEqual([1, 1]);
  });

  it('are looked for again by the next reader after the last one has left', async () => {
    const { news, timer, looks } = watched();
    const { response } = reader();
    news.add(response, 'default');
    await turns();
    response.emit('close');
    timer.passAll();
    await turns();
    const { written, response: later } = reader();
    news.add(later, 'default');
    await turns();
    expect([looks(), written.length]).toEqual([2, 1]);
  });
});
