import { expect, it } from 'vitest';
import { documentsIn, readDocument } from './documents.ts';

/** Longer text is not read in a narrow column. It belongs in a list, or in a paragraph below. */
const LONGEST_CELL = 120;

const PAGES = [
  ...['docs', 'docs/ar', 'decisions', 'site/landing'].flatMap((folder) => documentsIn(folder)),
  'README.md',
  'STYLE.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'simulator/README.md',
  'client/PACKAGE.md',
  'examples/web/README.md',
];

/** The cells of the tables that are longer, without the addresses of their links. */
function longCellsIn(text: string): readonly string[] {
  const rows = text.split('\n').filter((line) => line.trimStart().startsWith('|'));
  const cells = rows.flatMap((row) => row.split(/(?<!\\)\|/));
  const read = cells.map((cell) => cell.replaceAll(/\]\([^)]*\)/g, ']').trim());
  return read.filter((cell) => cell.length > LONGEST_CELL && !/^:?-+:?$/.test(cell));
}

it.each(PAGES)('no table cell of %s is over 120 characters', (path) => {
  expect(longCellsIn(readDocument(path))).toEqual([]);
});

it('a cell that is too long is found, wherever its table is', () => {
  const long = 'x'.repeat(LONGEST_CELL + 1);
  const row = `| [a](${long}) | ${long.slice(1)} | ${long}   |`;
  expect(longCellsIn(`${row}\n| ${'-'.repeat(200)} |\n  | b \\| ${long} |\n${long}`)).toEqual([
    long,
    `b \\| ${long}`,
  ]);
});
