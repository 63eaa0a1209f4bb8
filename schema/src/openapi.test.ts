import { expect, test } from 'vitest';
import { digits, object, string } from './index.ts';
import { finishDocument } from './openapi.ts';

/** A document of one operation, as it is made of the schemas of a route. */
function made() {
  const answer = object({ data: object({ id: string() }) });
  const parameter = {
    name: 'wait',
    schema: digits({ minimum: 0, maximum: 25 }, { pattern: '^[0-9]+$' }),
  };
  const response = { description: 'Done.', content: { 'application/json': { schema: answer } } };
  const body = object({ wait: string() });
  const operation = {
    parameters: [parameter],
    requestBody: { content: { 'application/json': { schema: body } } },
    responses: { 200: response, 429: { description: 'Too many.' } },
  };
  return {
    paths: { '/status': { get: operation } },
    components: { schemas: { User: object({ id: string() }) }, securitySchemes: {} },
  };
}

const RETRY = { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } } };

function finished() {
  const document = made();
  finishDocument(document, RETRY, (status) => (status === '429' ? ['Retry-After'] : []));
  return document;
}

test('a query has a number where its text is checked', () => {
  const [parameter] = finished().paths['/status'].get.parameters;
  expect(parameter).toEqual({
    name: 'wait',
    schema: { type: 'integer', minimum: 0, maximum: 25 },
  });
});

test('answers are open at each level, requests are closed', () => {
  const document = finished();
  const { requestBody, responses } = document.paths['/status'].get;
  expect(JSON.stringify([responses, document.components])).not.toContain('additionalProperties');
  expect(requestBody).toEqual(made().paths['/status'].get.requestBody);
});

test('each answer names its headers, which the document has once', () => {
  const { paths, components } = finished();
  const headers = { 'Retry-After': { $ref: '#/components/headers/Retry-After' } };
  expect(paths['/status'].get.responses).toMatchObject({ 200: { headers: {} }, 429: { headers } });
  expect(components).toMatchObject({ headers: RETRY, securitySchemes: {} });
});
