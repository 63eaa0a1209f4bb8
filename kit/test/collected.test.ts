import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { openInProcess } from '../src/in-process.ts';

setFlagsFromString('--expose-gc');

const WARM_UP = 3;
const STARTS = 20;

const openOne = () =>
  openInProcess({ isStrict: false, isOpenid: false, clients: null, population: null });

async function heapUsed(): Promise<number> {
  // What was just closed may still be on the stack.
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise((resolve) => void setImmediate(resolve));
    runInNewContext('gc()');
  }
  return process.memoryUsage().heapUsed;
}

/** Once it falls no more: earlier tests of this process may have left what is collected late. */
async function settledHeap(): Promise<number> {
  let last = await heapUsed();
  for (let turn = 0; turn < 20; turn += 1) {
    const now = await heapUsed();
    if (now >= last) return now;
    last = now;
  }
  return last;
}

it('stopped instances leave nothing in memory, also in the first seconds', async () => {
  for (let started = 0; started < WARM_UP; started += 1) await (await openOne()).close();
  const before = await settledHeap();
  const one = await openOne();
  const ofOne = (await heapUsed()) - before;
  await one.close();
  for (let started = 0; started < STARTS; started += 1) await (await openOne()).close();
  const grown = (await heapUsed()) - before;
  expect(ofOne).toBeGreaterThan(0);
  expect(grown / ofOne).toBeLessThan(STARTS / 4);
});
