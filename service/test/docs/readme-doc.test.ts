import { readFileSync } from 'node:fs';
import { BUILT_IN_PEOPLE } from '@miftah/simulator/engine';
import { expect, it } from 'vitest';
import { documentsIn, readDocument } from './documents.ts';

const README = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');

it('the table of test people in the README is the simulator’s cast, the default person first', () => {
  const listed = README.split('\n').filter((line) => /^\| `\d{10}`/.test(line));
  const cells = listed.map((line) => line.split('|').map((cell) => cell.trim()));

  expect(
    cells.map(([, number, id, english, arabic, about]) => ({
      number,
      id,
      english,
      arabic,
      about,
    })),
  ).toEqual(
    BUILT_IN_PEOPLE.all.map(({ id, nationalId, englishName, arabicName, about }) => ({
      number: `\`${nationalId}\``,
      id: `\`${id}\``,
      english: englishName.full,
      arabic: arabicName.full,
      about,
    })),
  );
  expect(BUILT_IN_PEOPLE.all[0]).toEqual(BUILT_IN_PEOPLE.fallback);
});

it('a folder of data that a line of the documents makes is ignored by git', () => {
  const text = ['README.md', ...documentsIn('docs')].map(readDocument).join('\n');
  const folders = new Set(
    [...text.matchAll(/DATA_DIR=\.\/([\w-]+)/g)].map(([, name = '']) => name),
  );
  expect([...folders]).toContain('data2');
  const ignored = readDocument('.gitignore').split('\n');
  for (const name of folders) expect(ignored).toContain(`/${name}/`);
});
