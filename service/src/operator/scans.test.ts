import { expect, it } from 'vitest';
import { digestOf } from '../values/secret.ts';
import { Scans } from './scans.ts';
import type { Visit } from './visit.ts';

const visitOf = (name: string, raw = { destroyed: false }) =>
  ({ session: { id: digestOf('operator', name) }, reply: { raw } }) as unknown as Visit;

it('one scan runs at a time, and another one where the first has failed', async () => {
  const scans = new Scans(async () => undefined);
  let running = 0;
  const scan = (name: string, failure?: Error) =>
    scans.run(visitOf(name), async (goesOn) => {
      running += 1;
      const most = running;
      await goesOn();
      running -= 1;
      if (failure !== undefined) throw failure;
      return most;
    });
  const found = [scan('a'), scan('b', new Error('no store')), scan('c')];
  expect((await Promise.allSettled(found)).map((one) => [one.status, running])).toEqual([
    ['fulfilled', 0],
    ['rejected', 0],
    ['fulfilled', 0],
  ]);
  expect(await Promise.all([found[0], found[2]])).toEqual([1, 1]);
});

it('a session has one that runs and one that waits, and others theirs', async () => {
  const scans = new Scans(async () => undefined);
  const run = (name: string) => scans.run(visitOf(name), async (goesOn) => goesOn());
  const all = await Promise.allSettled(['a', 'a', 'a', 'b', 'a'].map((name) => run(name)));
  expect(all.map(({ status }) => status === 'fulfilled')).toEqual([true, true, false, true, false]);
  expect(await run('a')).toBe(true);
});

it('other work has its turn before each step, and nothing is read for somebody who has gone', async () => {
  const raw = { destroyed: false };
  let turns = 0;
  const scans = new Scans(async () => {
    turns += 1;
    if (turns === 3) raw.destroyed = true;
  });
  const steps = await scans.run(visitOf('a', raw), async (goesOn) => {
    let count = 0;
    while (count < 9 && (await goesOn())) count += 1;
    return count;
  });
  expect([turns, steps]).toEqual([3, 2]);
});
