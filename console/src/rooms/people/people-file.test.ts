import { expect, test } from 'vitest';
import { compared, fileOf, inOrder, rowsOf } from './people-file.ts';
import { NOBODY } from './person.ts';

const amal = { ...NOBODY, id: 'amal', default: true };
const faisal = { ...NOBODY, id: 'faisal' };

test('a file is read as it was written', () => {
  expect(rowsOf(JSON.parse(fileOf([amal, faisal])))).toEqual([amal, faisal]);
});

test.each([undefined, null, 7, [], {}, { people: 7 }, { people: [7] }, { people: [{}] }])(
  '%o is no people file',
  (json) => {
    expect(rowsOf(json)).toBeNull();
  },
);

test('rows are new, changed, or as they are, whatever the order of their members', () => {
  const turned = Object.fromEntries(Object.entries(amal).toReversed()) as typeof amal;
  const changed = { ...faisal, about: 'other' };
  const noor = { ...NOBODY, id: 'noor' };
  expect(compared([turned, changed, noor], [amal, faisal])).toEqual({
    added: [noor],
    changed: [changed],
    same: [turned],
  });
});

test('the new default is sent first', () => {
  const former = { ...amal, default: false };
  const next = { ...faisal, default: true };
  const order = inOrder({ added: [], changed: [former, next], same: [] });
  expect(order).toEqual([next, former]);
});
