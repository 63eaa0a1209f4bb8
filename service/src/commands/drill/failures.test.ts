import { expect, it } from 'vitest';
import { firstOf, linesOf, type Failed } from './failures.ts';

const failed = (at: number): Failed => ({ code: 'no_answer', at: String(at), step: 'start' });

it.each([
  [0, 0, undefined],
  [20, 20, '19 start: no_answer'],
  [25, 21, 'and 5 more'],
])('of %i failures there are %i lines', (count, lines, last) => {
  const all = Array.from({ length: count }, (_, at) => failed(at));
  const shown = linesOf(firstOf(all), all.length);
  expect([shown.length, shown.at(-1)]).toEqual([lines, last]);
});
