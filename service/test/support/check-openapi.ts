import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { expect } from 'vitest';

interface Operation {
  readonly responses: Record<string, { content?: Record<string, { schema: object }> }>;
}
type OpenApi = { readonly paths: Record<string, Record<string, Operation>> };

/**
 * Holds an answer against the document that the service serves: its status must be listed for the
 * operation, its media type for the status, and its body must fit the schema. Answers of paths that
 * the document does not name (pages, health) are left alone.
 */
export function checkAgainstOpenApi(
  app: FastifyInstance,
  request: InjectOptions,
  answer: LightMyRequestResponse,
): void {
  const document = app.swagger() as unknown as OpenApi;
  const operation = findOperation(document, request);
  if (operation === null) return;
  const { statusCode } = answer;
  const described = operation.responses[String(statusCode)];
  const where = `${request.method} ${JSON.stringify(request.url)} -> ${statusCode} ${answer.payload}`;
  expect(described, `the document does not list ${where}`).toBeDefined();
  if (statusCode === 204) return;
  const mediaType = String(answer.headers['content-type']).split(';', 1)[0] ?? '';
  const schema = described?.content?.[mediaType]?.schema;
  expect(schema, `the document does not list ${mediaType} for ${where}`).toBeDefined();
  const validate = compile(document, schema ?? {});
  const fits = validate(answer.json());
  expect(fits, `${where}\n${JSON.stringify(validate.errors, null, 2)}`).toBe(true);
}

function findOperation(document: OpenApi, { method, url }: InjectOptions): Operation | null {
  const path = (typeof url === 'string' ? url : '').split('?', 1)[0] ?? '';
  for (const [template, operations] of Object.entries(document.paths)) {
    const pattern = template.split('/').map((part) => (part.startsWith('{') ? '[^/]+' : part));
    if (new RegExp(`^${pattern.join('/')}$`).test(path)) {
      return operations[String(method).toLowerCase()] ?? null;
    }
  }
  return null;
}

const compiled = new WeakMap<object, ValidateFunction>();

function compile(document: OpenApi, schema: object): ValidateFunction {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  // References in the schema point into the document, so the document has to be there.
  const validate = ajv.compile({ ...document, $id: 'openapi', ...schema });
  compiled.set(schema, validate);
  return validate;
}
