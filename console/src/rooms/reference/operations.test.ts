import { expect, test } from 'vitest';
import { exampleOf, operationsIn } from './operations.ts';

test.each([
  [{ type: 'string', examples: ['5m'] }, '5m'],
  [{ const: true }, true],
  [{ enum: ['approve', 'refuse'] }, 'approve'],
  [{ anyOf: [{ type: 'object', required: [] }, { type: 'null' }] }, {}],
  [
    {
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'integer' }, b: { type: 'null' } },
    },
    { a: 0 },
  ],
  [{ type: 'array' }, []],
  [{ type: ['string', 'null'] }, '…'],
])('%o is shown as %o', (schema, example) => {
  expect(exampleOf(schema)).toEqual(example);
});

test('the operations of the control API, with the query that they need', () => {
  const parameters = [
    { in: 'query', name: 'until', required: true, schema: { enum: ['prompt'] } },
    { in: 'query', name: 'kind', schema: {} },
  ];
  const document = {
    paths: {
      '/stg/x': { get: { tags: ['Provider'] } },
      '/simulator/wait': {
        get: { tags: ['Control API'], operationId: 'waitUntil', summary: 'Wait', parameters },
      },
    },
  };
  expect(operationsIn(document)).toEqual([
    {
      id: 'waitUntil',
      method: 'GET',
      path: '/simulator/wait?until=prompt',
      summary: 'Wait',
      body: undefined,
    },
  ]);
});
