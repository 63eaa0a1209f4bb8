import { expect, it } from 'vitest';
import { Gathering } from './gathering.flow.ts';

function gathering() {
  const works = new Set<() => void>();
  const gone: string[] = [];
  const gathered = new Gathering({
    after: (_, work) => {
      works.add(work);
      return () => void works.delete(work);
    },
  });
  return {
    gathered,
    gone,
    works,
    come: (name: string) => void gathered.turn().then(() => gone.push(name)),
    pass: () => {
      const due = [...works];
      works.clear();
      for (const work of due) work();
    },
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('who comes first goes on at once with all of that turn, and who comes soon afterwards together', async () => {
  const { gone, works, come, pass } = gathering();
  come('one');
  come('two');
  await turn();
  expect(gone).toEqual(['one', 'two']);
  come('three');
  await turn();
  come('four');
  await turn();
  expect(gone).toHaveLength(2);
  pass();
  await turn();
  expect(gone).toEqual(['one', 'two', 'three', 'four']);
  pass();
  expect(works.size).toBe(0);
  come('five');
  await turn();
  expect(gone).toHaveLength(5);
});

it('nobody waits while there is haste, nor after the end', async () => {
  const { gathered, gone, works, come } = gathering();
  come('first');
  await turn();
  come('waits');
  const { promise, resolve } = Promise.withResolvers<void>();
  const hasty = gathered.without(() => promise);
  come('hurries');
  await turn();
  expect(gone).toEqual(['first', 'hurries', 'waits']);
  resolve();
  await hasty;
  gathered.end();
  come('last');
  await turn();
  expect([gone.at(-1), works.size]).toEqual(['last', 0]);
});
