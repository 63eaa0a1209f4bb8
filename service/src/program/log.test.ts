import { expect, it } from 'vitest';
import { groupLines } from './log.ts';

function setUp() {
  const written: string[] = [];
  const works: (() => void)[] = [];
  const lines = groupLines({ write: (text) => void written.push(text) }, (work) => {
    works.push(work);
  });
  const endTurn = () => {
    for (const work of works.splice(0)) work();
  };
  return { lines, written, works, endTurn };
}

it('writes the lines of one turn at once, in their order', () => {
  const { lines, written, works, endTurn } = setUp();
  lines.write('one\n');
  lines.write('two\n');
  expect(written).toEqual([]);
  expect(works).toHaveLength(1);
  endTurn();
  lines.write('three\n');
  endTurn();
  expect(written).toEqual(['one\ntwo\n', 'three\n']);
});

it('writes what waits when the process ends, and nothing twice', () => {
  const { lines, written, endTurn } = setUp();
  lines.write('last\n');
  lines.flush();
  endTurn();
  lines.flush();
  expect(written).toEqual(['last\n']);
});
