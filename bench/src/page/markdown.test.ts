import { describe, expect, it } from 'vitest';
import { markdownTable, withSection } from './markdown.ts';

it('lays a table out as the formatter does', () => {
  expect(
    markdownTable(
      ['', 'req/s'],
      [
        ['raw', '24 000'],
        ['status ÷ raw', '0.7'],
      ],
    ).split('\n'),
  ).toEqual([
    '|              |  req/s |',
    '| ------------ | -----: |',
    '| raw          | 24 000 |',
    '| status ÷ raw |    0.7 |',
  ]);
});

describe('a measured section', () => {
  const page = 'Before.\n\n<!-- measured: goals -->\n\nold\n\n<!-- end of goals -->\n\nAfter.\n';

  it('takes the place of the one before, and leaves what is around it', () => {
    expect(withSection(page, 'goals', 'new')).toBe(page.replace('old', 'new'));
  });

  it('is the same when it is written twice', () => {
    expect(withSection(withSection(page, 'goals', 'old'), 'goals', 'old')).toBe(page);
  });

  it('that the page does not have is an error', () => {
    expect(() => withSection(page, 'growth', 'new')).toThrow('growth');
  });
});
