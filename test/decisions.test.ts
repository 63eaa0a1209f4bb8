import { describe, expect, it } from 'vitest';
import { readTree } from './support/tree.ts';

/** A comment or a document names a decision by the four digits of its record. */

const tree = readTree();
const records = new Set(
  tree.flatMap(({ path }) => /^decisions\/(\d{4})-/.exec(path)?.slice(1) ?? []),
);

function namedIn(text: string): readonly string[] {
  return [...text.matchAll(/\bdecisions? (\d+)/gi)].map(([, number = '']) => number);
}

describe('a decision that is named', () => {
  it('has a record', () => {
    const named = tree.flatMap(({ path, text }) =>
      namedIn(text).map((number) => ({ path, number })),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(({ number }) => !records.has(number))).toEqual([]);
  });

  it('is found by its number, in words of any case', () => {
    expect(namedIn('as Decision 0001 says, and decisions 0002')).toEqual(['0001', '0002']);
  });
});
