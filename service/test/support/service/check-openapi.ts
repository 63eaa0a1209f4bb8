import { hash } from 'node:crypto';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { expect } from 'vitest';

interface Operation {
  readonly responses: Record<
    string,
    { headers: Record<string, unknown>; content?: Record<string, { schema: object }> }
  >;
}
export interface OpenApi {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly headers: Record<string, unknown> };
}

/** One request and its answer. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly mediaType: string;
  readonly headers: readonly string[];
  readonly body: string;
}

/** Checks an answer of `inject` against the service's OpenAPI document. */
export function checkAgainstOpenApi(
  app: FastifyInstance,
  { method, url }: InjectOptions,
  { statusCode, headers, payload }: LightMyRequestResponse,
): void {
  checkAgainstDocument(app.swagger() as unknown as OpenApi, {
    method: String(method),
    path: typeof url === 'string' ? url : '',
    status: statusCode,
    mediaType: String(headers['content-type']),
    headers: Object.keys(headers),
    body: payload,
  });
}

/**
 * The status must be documented for the operation, the media type and the headers for the status,
 * and the body must match the schema and have no other members. Paths that are not in the document
 * (pages, health) are not checked.
 */
export function checkAgainstDocument(document: OpenApi, exchange: Exchange): void {
  const { method, path, status, body } = exchange;
  const operation = findOperation(document, exchange);
  if (operation === null) return;
  const described = operation.responses[String(status)];
  const where = `${method} ${path} -> ${status} ${body}`;
  expect(described, `the document does not list ${where}`).toBeDefined();
  const named = Object.keys(described?.headers ?? {}).map((name) => name.toLowerCase());
  for (const header of Object.keys(document.components.headers)) {
    const name = header.toLowerCase();
    if (exchange.headers.includes(name)) expect(named, `${where}, ${header}`).toContain(name);
  }
  if (status === 204 || status === 303) return;
  const mediaType = exchange.mediaType.split(';', 1)[0] ?? '';
  const schema = described?.content?.[mediaType]?.schema;
  expect(schema, `the document does not list ${mediaType} for ${where}`).toBeDefined();
  // Of a stream and of a page it is only checked that there may be one.
  if (!mediaType.endsWith('json')) return;
  const validate = compile(document, schema ?? {});
  const fits = validate(JSON.parse(body));
  expect(fits, `${where}\n${JSON.stringify(validate.errors, null, 2)}`).toBe(true);
}

function findOperation(document: OpenApi, { method, path: target }: Exchange): Operation | null {
  const path = target.split('?', 1)[0] ?? '';
  for (const [template, operations] of Object.entries(document.paths)) {
    const pattern = template.split('/').map((part) => (part.startsWith('{') ? '[^/]+' : part));
    if (new RegExp(`^${pattern.join('/')}$`).test(path)) {
      return operations[method.toLowerCase()] ?? null;
    }
  }
  return null;
}

/** By the schema itself, and by its text with that of the document: each test has its own document. */
const compiled = new WeakMap<object, ValidateFunction>();
const compiledTexts = new Map<string, ValidateFunction>();

function compile(document: OpenApi, schema: object): ValidateFunction {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const text = hash('sha256', JSON.stringify([document, schema]));
  const validate = compiledTexts.get(text) ?? compileAnew(document, schema);
  compiledTexts.set(text, validate);
  compiled.set(schema, validate);
  return validate;
}

function compileAnew(document: OpenApi, schema: object): ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  // The schema's references point into the document, so it must be included.
  return ajv.compile(closed({ ...document, $id: 'openapi', ...schema }) as object);
}

/** Readers have to accept members that are not in the document; this service sends none. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, closed(member)]);
  const isObject = 'type' in value && value.type === 'object' && 'properties' in value;
  return {
    ...(isObject ? { additionalProperties: false } : {}),
    ...(Object.fromEntries(members) as object),
  };
}
