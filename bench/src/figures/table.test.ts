import { expect, it } from 'vitest';
import { table } from './table.ts';

it('sets the first column flush left and the others flush right, as wide as their widest cell', () => {
  expect(
    table(
      ['', 'req/s'],
      [
        ['raw', '24000'],
        ['status ÷ raw', '0.7'],
      ],
    ).split('\n'),
  ).toEqual([
    '              req/s',
    '-------------------',
    'raw           24000',
    'status ÷ raw    0.7',
  ]);
});

it('leaves a missing cell empty', () => {
  expect(
    table(['a', 'b'], [['c']])
      .split('\n')
      .at(-1),
  ).toBe('c   ');
});
