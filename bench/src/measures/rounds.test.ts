import { expect, it } from 'vitest';
import { CONTENDERS } from './contenders.ts';
import { orderOfRound } from './rounds.ts';

it('every contender is the first of a round once before any is a second time', () => {
  const first = CONTENDERS.map((_, round) => orderOfRound(round)[0]?.id);
  expect(new Set(first)).toEqual(new Set(CONTENDERS.map(({ id }) => id)));
});

it('every round has every contender once', () => {
  for (const round of [0, 1, 100]) {
    expect(orderOfRound(round).toSorted(byId)).toEqual(CONTENDERS.toSorted(byId));
  }
});

function byId({ id: one }: { id: string }, { id: other }: { id: string }): number {
  return one < other ? -1 : 1;
}
