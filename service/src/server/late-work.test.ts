import { expect, it } from 'vitest';
import { LateWork, MOST_IN_TURN } from './listener.ts';

/** The test decides when a turn of the event loop ends. */
function open() {
  const ends: (() => void)[] = [];
  const late = new LateWork((work) => void ends.push(work));
  const done: number[] = [];
  let count = 0;
  return {
    done,
    add: (more: number) => {
      for (const _ of Array.from({ length: more })) {
        const one = (count += 1);
        late.do(() => void done.push(one));
      }
    },
    endTurn: () => {
      const now = ends.splice(0);
      for (const end of now) end();
      return now.length;
    },
  };
}

it('does at once what there is a place for', () => {
  const { add, done } = open();
  add(MOST_IN_TURN);
  expect(done).toHaveLength(MOST_IN_TURN);
});

it('does the rest in later turns, in order, and nothing overtakes it', () => {
  const { add, done, endTurn } = open();
  add(2 * MOST_IN_TURN + 1);
  expect(done).toHaveLength(MOST_IN_TURN);
  endTurn();
  expect(done).toHaveLength(2 * MOST_IN_TURN);
  add(1);
  expect(done).toHaveLength(2 * MOST_IN_TURN);
  endTurn();
  expect(done).toEqual(Array.from({ length: 2 * MOST_IN_TURN + 2 }, (_, index) => index + 1));
});

it('keeps no turn busy when nothing is left', () => {
  const { add, endTurn } = open();
  add(1);
  expect([endTurn(), endTurn()]).toEqual([1, 0]);
});
