import { expect, it } from 'vitest';
import { nextTurn } from './runtime.ts';

it('lets one caller go on in each turn of the event loop, in their order', async () => {
  let turn = 0;
  let isOver = false;
  const count = () => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const seen: Array<readonly [caller: number, turn: number]> = [];
  const call = async (caller: number) => {
    await nextTurn();
    seen.push([caller, turn]);
  };
  await Promise.all([1, 2, 3, 4].map(call));
  isOver = true;
  expect(seen.map(([caller]) => caller)).toEqual([1, 2, 3, 4]);
  expect(new Set(seen.map(([, at]) => at)).size).toBe(4);
});
