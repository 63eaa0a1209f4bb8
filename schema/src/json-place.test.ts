import { array, assert, constantFrom, json, nat, oneof, property, string, tuple } from 'fast-check';
import { expect, it } from 'vitest';
import { faultOfJson, placeOfFault } from './json-place.ts';

it.each<[string, number, number]>([
  ['', 1, 1],
  ['{', 1, 2],
  ['{"a":1,}', 1, 7],
  ['{"a":[\n  1,\n ]}', 2, 4],
  ['{,}', 1, 2],
  ["{'a':1}", 1, 2],
  ['{"a":1 "b":2}', 1, 8],
  ['{\n  "a": 1,\n  "b" 2\n}', 3, 7],
  ['[1,2', 1, 5],
  ['[1,]', 1, 3],
  ['[1}', 1, 3],
  ['01', 1, 2],
  ['tru', 1, 1],
  ['"a', 1, 3],
  [String.raw`{"a":"\x"}`, 1, 7],
  ['"a\nb"', 1, 3],
  ['{} {}', 1, 4],
  ['{"a":NaN}', 1, 6],
])('%j breaks at line %i, column %i', (text, line, column) => {
  expect(placeOfFault(text)).toEqual({ line, column });
});

it.each<[string, string | null]>([
  ['{"a": [\n  1,\n]}', 'line 2, column 4: a comma before ]'],
  ['{"a":1,}', 'line 1, column 7: a comma before }'],
  ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3: a comma is missing'],
  ['[1 2]', 'line 1, column 4'],
  ["{'a': 1}", 'line 1, column 2: a single quote, where JSON has "'],
  ['{"a": “b”}', 'line 1, column 7: a curly quote, where JSON has "'],
  ['{"a": 1, // one\n"b": 2}', 'line 1, column 10: a comment, and JSON has none'],
  ['{"a": 1 /* one */}', 'line 1, column 9: a comment, and JSON has none'],
  ['# one\n{}', 'line 1, column 1: a comment, and JSON has none'],
  ['{"a": /b/}', 'line 1, column 7'],
  ['[1,\n', 'it ends too early, at line 2, column 1'],
  ['{"a', 'it ends too early, at line 1, column 4'],
  ['{"a": 1}', null],
])('what to correct in %j: %s', (text, told) => {
  expect(faultOfJson(text)).toBe(told);
});

const PIECES = '{ } [ ] , : "a" " \\ \\n \\u00e9 1 -0.5e3 0 . true null x'
  .split(' ')
  .concat(' ', '\n');

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const isFound = (text: string) => (placeOfFault(text) === null) === isJson(text);

it('there is a place exactly where the parser refuses', () => {
  const broken = tuple(json(), nat(), string({ maxLength: 2 })).map(([text, at, put]) => {
    const place = at % (text.length + 1);
    return text.slice(0, place) + put + text.slice(place);
  });
  const joined = array(constantFrom(...PIECES), { maxLength: 12 }).map((all) => all.join(''));
  assert(property(oneof(json(), broken, joined), isFound), { numRuns: 1000 });
});

it('a deep and a long text take no more than their length', () => {
  expect(placeOfFault('['.repeat(200_000))).toEqual({ line: 1, column: 200_001 });
  expect(placeOfFault(`"${'a'.repeat(200_000)}`)).toEqual({ line: 1, column: 200_002 });
});
