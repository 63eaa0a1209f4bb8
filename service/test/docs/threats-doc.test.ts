import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codesOf, readDocument, sectionOf } from './documents.ts';

const ROOT = join(import.meta.dirname, '../../..');
const THREATS = 'service/test/threats';
/** The same threats behind a reverse proxy. The document names these files with their folder. */
const BEHIND_PROXIES = 'deploy/test/proxies';
/** No number up to this one is missing. Later numbers are added with their controls. */
const COMPLETE_TO = 83;
const UNTESTED = 'not yet tested from outside';

interface Row {
  readonly number: number;
  readonly defence: string;
  readonly test: string;
}

const threats = readDocument('docs/threats.md');
const rows: readonly Row[] = threats
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, number = '']) => /^\d+$/.test(number))
  .map(([, number, , defence = '', test = '']) => ({ number: Number(number), defence, test }));

const isLater = ({ test }: Row) => test.startsWith('later release');
const isUntested = ({ test }: Row) => test === UNTESTED;

/** The numbers in names such as `threat 1, with time: ...` and `threats 17 and 18: ...`. */
function threatsOf(file: string): ReadonlySet<number> {
  const path = file.includes('/') ? file : join(THREATS, file);
  const source = readFileSync(join(ROOT, path), 'utf8');
  const names = source.matchAll(/['"`]threats? (\d+(?:(?:, | and )\d+)*)/g);
  return new Set([...names].flatMap(([, list = '']) => list.split(/\D+/).map(Number)));
}

const files = [
  ...readdirSync(join(ROOT, THREATS)),
  ...readdirSync(join(ROOT, BEHIND_PROXIES)).map((name) => `${BEHIND_PROXIES}/${name}`),
].filter((name) => name.endsWith('.test.ts'));
const tried = new Map(files.map((file) => [file, threatsOf(file)]));

function triedIn(number: number): string[] {
  return files.filter((file) => tried.get(file)?.has(number)).toSorted();
}

describe('docs/threats.md', () => {
  it('has each number once, in order', () => {
    const numbers = rows.map(({ number }) => number);
    const complete = Array.from({ length: COMPLETE_TO }, (_, index) => index + 1);
    expect(numbers.slice(0, COMPLETE_TO)).toEqual(complete);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other));
  });

  it('says of each number what stands against it, once and in order', () => {
    const section = sectionOf(threats, 'What stands against each');
    const told = [...section.matchAll(/^- \*\*(\d+)\.\*\* \S.+$/gm)].map(([, number]) => number);
    expect(told.map(Number)).toEqual(rows.map(({ number }) => number));
  });

  it.each(rows.filter((row) => !isLater(row) && !isUntested(row)))(
    'names the tests of threat $number, and no others',
    ({ number, test }) => {
      expect(codesOf(test).toSorted()).toEqual(triedIn(number));
    },
  );

  it.each(rows.filter((row) => isUntested(row)))(
    'calls threat $number untested for as long as it is',
    ({ number }) => {
      expect(triedIn(number)).toEqual([]);
    },
  );

  it('knows every threat that has a test', () => {
    const known = new Set(rows.map(({ number }) => number));
    expect([...tried.values()].flatMap((set) => [...set]).filter((n) => !known.has(n))).toEqual([]);
  });

  it.each(rows)('names files that are there: threat $number', ({ defence, test, ...row }) => {
    const paths = codesOf(defence).filter((code) => /^[\w./-]+\.ts$/.test(code));
    const places = paths.map((path) => [path, `service/src/${path}`]);
    const later = isLater({ defence, test, ...row }) ? codesOf(test).map((path) => [path]) : [];
    for (const either of [...places, ...later]) {
      const found = either.some((path) => existsSync(join(ROOT, path)));
      expect(found, either[0]).toBe(true);
    }
  });
});
