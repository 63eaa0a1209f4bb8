import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { codesOf, readDocument } from './documents.ts';

const GOLDEN = join(import.meta.dirname, '../store/postgres/schema.golden.txt');

/** `table.column` for each column of PostgreSQL, which has all tables. */
function columnsOfSchema(): string[] {
  const [, columns = ''] = readFileSync(GOLDEN, 'utf8').split('-- columns\n', 2);
  const names = columns.split('\n-- ', 1)[0] ?? '';
  return names
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' ', 1)[0] ?? '');
}

/** The same of the document: below a heading with the name of a table, or in a row that begins with it. */
function columnsOfDocument(): string[] {
  const [, text = ''] = readDocument('docs/data-retention.md').split('\n## What is stored\n', 2);
  const section = text.split(/^## /m, 1)[0] ?? '';
  return section.split(/^### /m).flatMap((part) => {
    const heading = part.split('\n', 1)[0] ?? '';
    const rows = part.split('\n').filter((line) => line.startsWith('| `'));
    const cells = rows.map((row) => row.split('|').map((cell) => codesOf(cell)));
    const isTable = /^[a-z_]+$/.test(heading);
    return cells.flatMap(([, first = [], second = []]) =>
      isTable
        ? first.map((column) => `${heading}.${column}`)
        : second.map((column) => `${first.join()}.${column}`),
    );
  });
}

it('docs/data-retention.md says of each column of each table what it is, and of no other', () => {
  const documented = columnsOfDocument();
  expect(documented.length).toBeGreaterThan(100);
  expect(documented.toSorted()).toEqual(columnsOfSchema().toSorted());
});

it('names the settings that say how long data is kept', () => {
  const codes = codesOf(readDocument('docs/data-retention.md'));
  const settings = [
    'RETENTION',
    'RETENTION_MAX_ATTEMPTS',
    'RETENTION_CALLS',
    'RETENTION_MAX_CALLS',
    'RETENTION_AUDIT',
    'TOKEN_LIFETIME',
  ];
  expect(codes).toEqual(expect.arrayContaining(settings));
});
