import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  JsonFault,
  member,
  parseStrictJson,
  parseStrictObject,
} from '../../src/provider/strict-json.ts';

const LIMITS = { depth: 4, items: 20 };

function reasonOf(text: string): string {
  try {
    parseStrictJson(text, LIMITS);
    return 'accepted';
  } catch (error) {
    return error instanceof JsonFault ? error.reason : String(error);
  }
}

describe('refuses', () => {
  it.each([
    ['a name twice', '{"a":1,"a":2}', 'duplicate_name'],
    ['a name twice with another between', '{"a":1,"b":{"a":1},"a":2}', 'duplicate_name'],
    ['a name twice in a deeper object', '[{"x":{"a":1,"a":1}}]', 'duplicate_name'],
    ['the empty name twice', '{"":1,"":2}', 'duplicate_name'],
    ['__proto__ twice', '{"__proto__":1,"__proto__":2}', 'duplicate_name'],
    ['a name in escapes', '{"\\u0061":1}', 'escaped_name'],
    ['a name in escapes beside the plain one', '{"a":1,"\\u0061":1}', 'escaped_name'],
    ['a name with an escaped quote', '{"a\\"":1}', 'escaped_name'],
    ['a string with NUL', String.raw`{"a":"x\u0000"}`, 'not_text'],
    ['half of a surrogate pair', String.raw`["\ud800"]`, 'not_text'],
    ['the halves in the wrong order', String.raw`["\udc00\ud800"]`, 'not_text'],
    ['five levels', '[[[[[1]]]]]', 'too_complex'],
    ['a hundred thousand levels', '['.repeat(1e5) + ']'.repeat(1e5), 'too_complex'],
    ['many items', JSON.stringify(Array.from({ length: 21 }, () => 1)), 'too_complex'],
    [
      'many members of many objects',
      JSON.stringify({
        a: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
        b: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
      }),
      'too_complex',
    ],
    ['a comma too many', '{"a":1,}', 'syntax'],
    ['a comment', '{"a":1/**/}', 'syntax'],
    ['text after the value', '{"a":1} {"a":1}', 'syntax'],
    ['nothing', '', 'syntax'],
    ['a byte order mark', '\ufeff{}', 'syntax'],
    ['NaN', '{"a":NaN}', 'syntax'],
  ])('%s', (_, text, reason) => expect(reasonOf(text)).toBe(reason));
});

describe('accepts', () => {
  it.each([
    ['one name in two objects', '[{"a":1},{"a":1}]'],
    ['a name that is another one’s value', '{"a":"b","b":"a"}'],
    ['signs of JSON inside a text', '{"a":"{\\"a\\":1,\\"a\\":[[[[[[","b":"\\\\"}'],
    ['four levels and twenty items', `[[[[1]]],${Array.from({ length: 19 }, () => 1).join()}]`],
    ['a text of 200,000 characters', JSON.stringify('\\"'.repeat(1e5))],
    ['null', 'null'],
  ])('%s', (_, text) => expect(parseStrictJson(text, LIMITS)).toEqual(JSON.parse(text)));

  it('what JSON.stringify writes, and reads it the same', () => {
    const plainNames = fc.string({ unit: 'grapheme' }).filter((name) => !/["\\\p{C}]/u.test(name));
    const value = fc.object({ key: plainNames, maxDepth: 3, maxKeys: 5 });
    fc.assert(
      fc.property(value, (object) => {
        const text = JSON.stringify(object);
        const read = parseStrictJson(text, { depth: 8, items: 10_000 });
        expect(JSON.stringify(read)).toBe(text);
      }),
    );
  });
});

it('never quotes the text in its fault', () => {
  expect(() => parseStrictJson('{"secret":canary}', LIMITS)).toThrow(/^JSON: syntax$/);
});

it('gives own members only', () => {
  const object = parseStrictObject('{"a":1,"__proto__":{"b":2}}', LIMITS) ?? {};
  expect(member(object, 'a')).toBe(1);
  expect(member(object, 'b')).toBeUndefined();
  expect(member(object, 'constructor')).toBeUndefined();
  expect(parseStrictObject('[1]', LIMITS)).toBeNull();
});
