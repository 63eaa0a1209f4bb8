import { describe, expect, it } from 'vitest';
import { readTree } from './support/tree.ts';

/**
 * Comments and documents refer to a decision by the four digits of its record. A number keeps its
 * meaning for ever: either its record still exists, or the index says which section of a record,
 * page of the documents or file is in its place.
 */

/** Every number that was ever used, in rows of ten. A new record adds its number here. */
const GIVEN = [
  '0001 0002 0003 0004 0005 0006 0007 0008 0009',
  '0010 0011 0012 0013 0014 0015 0016 0017 0018',
  '0020 0021 0022 0023 0024 0025 0026 0027',
  '0030 0031 0035 0036 0037',
  '0040 0041 0042 0043 0044 0045 0046 0047 0048 0049',
  '0050 0051 0052 0053 0054 0055 0056 0057',
  '0060 0061 0062 0065 0066 0068',
  '0070 0071 0072',
  '0080 0081 0082 0083 0084',
  '0090 0091 0092 0093 0094 0095 0096 0097 0098',
  '0102 0103 0104 0105 0106 0107 0108 0109',
  '0110 0111 0112 0113 0114 0115 0116 0117 0118 0119',
  '0120 0121 0122 0123 0124 0125 0126 0127 0128',
  '0129 0130 0131 0132 0133 0134 0135 0136 0137 0138',
  '0139',
].flatMap((tens) => tens.split(' '));

const tree = readTree();
const index = tree.find(({ path }) => path === 'decisions/README.md')?.text ?? '';
const records = new Map(
  tree.flatMap(({ path, text }) => {
    const [, file = '', number = ''] = /^decisions\/((\d{4})-.+)$/.exec(path) ?? [];
    return number === '' ? [] : [[number, { file, text }] as const];
  }),
);

type Redirect = { number: string; shown: string; target: string };

/**
 * Rows such as `| 0007 | [0010, Attempt ids](0010-values-on-the-wire.md#attempt-ids) |` and
 * `| 0072 | [scripts/lock.mjs](../scripts/lock.mjs) |`.
 */
function redirectsIn(text: string): readonly Redirect[] {
  const rows = text.matchAll(/^\| (\d{4}) +\| \[([^\]]+)\]\(([^)]+)\) +\|$/gm);
  return [...rows].map(([, number = '', shown = '', target = '']) => ({ number, shown, target }));
}

/** The numbers in text such as "decision 0001" and "decisions 0001, 0002 and 0005". */
function namedIn(text: string): readonly string[] {
  const lists = text.matchAll(/\b(?:decisions?|records?) (\d{4}(?:(?:, | and )\d{4})*)\b/gi);
  return [...lists].flatMap(([, list = '']) => list.match(/\d{4}/g) ?? []);
}

/** Links that show a record's number, as pairs of the shown number and the number of the file. */
function linksIn(text: string): readonly (readonly [string, string])[] {
  const links = text.matchAll(/\[(?:decision )?(\d{4})\b[^\]]*\]\([^)\s]*?(\d{4})-[^)]+\.md/gi);
  return [...links].map(([, shown = '', file = '']) => [shown, file]);
}

describe('a decision that is named', () => {
  it('has a record of that number', () => {
    const named = tree.flatMap(({ path, text }) =>
      namedIn(text).map((number) => ({ path, number })),
    );
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter(({ number }) => !records.has(number))).toEqual([]);
  });

  it('is found by its number, in words of any case, and in a list', () => {
    expect(namedIn('as Decision 0001 says, and decisions 0002 and 0005')).toEqual([
      '0001',
      '0002',
      '0005',
    ]);
  });

  it('is linked under the number of its file', () => {
    const linked = tree
      .filter(({ path }) => path.endsWith('.md'))
      .flatMap(({ path, text }) => linksIn(text).map(([shown, file]) => ({ path, shown, file })));
    expect(linked.length).toBeGreaterThan(10);
    expect(linked.filter(({ shown, file }) => shown !== file)).toEqual([]);
  });
});

/** A new record is paid for with words of the others. */
const MOST_WORDS = { each: 1000, all: 16_100 };

describe('the records', () => {
  it('are few and short enough to be read before a change', () => {
    const pages = tree.filter(({ path }) => /^decisions\/.+\.md$/.test(path));
    const words = pages.map(({ path, text }) => ({ path, count: text.trim().split(/\s+/).length }));
    const long = words.filter(({ path, count }) => {
      return path !== 'decisions/README.md' && count > MOST_WORDS.each;
    });
    expect(long).toEqual([]);
    const all = words.reduce((sum, { count }) => sum + count, 0);
    const remedy =
      `all records have ${all} words, and may have ${MOST_WORDS.all}: shorten one, or say in a ` +
      'comment where the code is what binds no caller and no operator';
    expect(all, remedy).toBeLessThanOrEqual(MOST_WORDS.all);
  });
});

describe('the numbers of decisions', () => {
  const redirects = redirectsIn(index);
  const redirected = redirects.map(({ number }) => number);

  it('are each a record or a redirect, and never both', () => {
    expect([...records.keys(), ...redirected].toSorted()).toEqual(GIVEN);
  });

  // That the file and its heading are there is looked at with all links of the documents.
  it.each(redirects)('$number leads to what it shows', ({ shown, target }) => {
    const [, number = '', section = ''] = /^(\d{4}), (.+)$/.exec(shown) ?? [];
    const record = records.get(number);
    const expected =
      number === '' ? `../${shown}` : `${record?.file ?? 'none'}#${anchorOf(section)}`;
    expect(target).toBe(expected);
    if (number !== '') expect(record?.text).toContain(`\n### ${section}\n`);
  });

  it.each([...records])('%s is in the index by its title', (number, { file, text }) => {
    const [, title = ''] = /^# \d{4} (.+)$/m.exec(text) ?? [];
    expect(text.startsWith(`# ${number} `)).toBe(true);
    const row = index.split('\n').find((line) => line.includes(`| [${number}](${file})`));
    expect(row?.split('|')[2]?.trim()).toBe(`${title}.`);
  });
});

/** The anchor that GitHub gives to a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}
