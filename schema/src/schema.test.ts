import { Ajv } from 'ajv';
import { expect, expectTypeOf, test } from 'vitest';
import { checkOf } from './check.ts';
import {
  boolean,
  integer,
  list,
  nothing,
  object,
  oneOf,
  openObject,
  optional,
  record,
  string,
  text,
  textOrNull,
  union,
  type Static,
} from './index.ts';

const Pet = object({
  name: string({ minLength: 1 }),
  kind: oneOf(['cat', 'dog']),
  age: optional(integer({ minimum: 0 })),
  tags: list(string()),
});

test('a schema is a plain object of the keywords', () => {
  expect(JSON.parse(JSON.stringify(Pet))).toEqual({
    type: 'object',
    required: ['name', 'kind', 'tags'],
    properties: {
      name: { type: 'string', minLength: 1 },
      kind: { type: 'string', enum: ['cat', 'dog'] },
      age: { type: 'integer', minimum: 0 },
      tags: { type: 'array', items: { type: 'string' } },
    },
    additionalProperties: false,
  });
});

test('what the functions make is JSON Schema, which no program checks when it starts', () => {
  const members = {
    text: text(),
    nothing: nothing(),
    either: textOrNull(),
    record: record(boolean()),
    union: union(text(), integer()),
    open: openObject({ pet: optional(Pet) }),
  };
  for (const [name, schema] of Object.entries(members)) {
    expect(new Ajv().validateSchema(schema), name).toBe(true);
  }
});

test('a schema knows the type of what it accepts', () => {
  expectTypeOf<Static<typeof Pet>>().toMatchObjectType<{
    name: string;
    kind: 'cat' | 'dog';
    age?: number;
    tags: readonly string[];
  }>();
});

test('a closed object refuses what it does not name, an open one lets it through', () => {
  const members = { ready: boolean() };
  expect(checkOf(object(members)).holds({ ready: true, more: 1 })).toBe(false);
  expect(checkOf(openObject(members)).holds({ ready: true, more: 1 })).toBe(true);
});

test('faults name the place and never a value', () => {
  const faults = checkOf(Pet).faults({ name: '', kind: 'secret-kind', tags: [7] });
  expect(faults.map((fault) => fault.split(':', 1)[0])).toEqual(['/name', '/kind', '/tags/0']);
  expect(faults.join()).not.toContain('secret-kind');
  expect(checkOf(Pet).faults({ name: 'Tom', kind: 'cat', tags: [] })).toEqual([]);
});

test('faults say the one value that is allowed, and shorten the name of an unknown member', () => {
  const Reset = checkOf(object({ reset: boolean({ const: true }) }));
  expect(Reset.faults({ reset: false })).toEqual(['/reset: must be true']);
  const unknown = Reset.faults({ reset: true, ['x'.repeat(41)]: 1 });
  expect(unknown).toEqual([`/: must not have "${'x'.repeat(40)}"`]);
});

test('faults name what is misspelt first, and what is missing together', () => {
  expect(checkOf(Pet).faults({ nam: 'Tom' })).toEqual([
    '/: must not have "nam" (did you mean "name"?)',
    '/: must have "name", "kind", "tags"',
  ]);
  expect(checkOf(Pet).faults({ name: 'Tom', kind: 'dogg', tags: [] })).toEqual([
    '/kind: must be one of cat, dog (did you mean "dog"?)',
  ]);
});

function faultsOf(tags: number): readonly string[] {
  const wrong = Array.from({ length: tags }, () => 7);
  return checkOf(Pet).faults({ name: 'Tom', kind: 'cat', tags: wrong });
}

test('faults are listed to the twentieth, and the others counted', () => {
  expect(faultsOf(20)).toHaveLength(20);
  expect(faultsOf(20).at(-1)).toBe('/tags/19: must be string');
  expect(faultsOf(23).slice(19)).toEqual(['/tags/19: must be string', 'and 3 more']);
});
