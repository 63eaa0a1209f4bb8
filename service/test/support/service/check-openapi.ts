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
  readonly servers?: readonly { readonly url: string }[];
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
  checkAgainstDocument(documentOf(app), {
    method: String(method),
    path: typeof url === 'string' ? url : '',
    status: statusCode,
    mediaType: String(headers['content-type']),
    headers: Object.keys(headers),
    body: payload,
  });
}

const ofApplications = new WeakMap<FastifyInstance, OpenApi>();

function documentOf(app: FastifyInstance): OpenApi {
  const known = ofApplications.get(app) ?? sharedDocument(app.swagger() as unknown as OpenApi);
  ofApplications.set(app, known);
  return known;
}

const documents = new Map<string, OpenApi>();

/**
 * The same object for documents that differ only by the origin of their service: most tests open a
 * service of their own, and what belongs to a document is worked out once.
 */
export function sharedDocument({ servers = [], paths, components }: OpenApi): OpenApi {
  const whole = JSON.stringify({ paths, components });
  const text = servers.reduce((left, { url }) => left.replaceAll(new URL(url).origin, ''), whole);
  const key = hash('sha256', text);
  const known = documents.get(key) ?? (JSON.parse(text) as OpenApi);
  documents.set(key, known);
  return known;
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

interface Place {
  readonly pattern: RegExp;
  readonly operations: Record<string, Operation>;
}
const places = new WeakMap<OpenApi, readonly Place[]>();

function findOperation(document: OpenApi, { method, path: target }: Exchange): Operation | null {
  const path = target.split('?', 1)[0] ?? '';
  const known = places.get(document) ?? placesOf(document);
  places.set(document, known);
  const place = known.find(({ pattern }) => pattern.test(path));
  return place?.operations[method.toLowerCase()] ?? null;
}

function placesOf({ paths }: OpenApi): Place[] {
  return Object.entries(paths).map(([template, operations]) => {
    const parts = template.split('/').map((part) => (part.startsWith('{') ? '[^/]+' : part));
    return { pattern: new RegExp(`^${parts.join('/')}$`), operations };
  });
}

const compiled = new WeakMap<object, ValidateFunction>();
/** One for all documents: each would compile the schema of schemas for itself. */
let ajv: Ajv2020 | null = null;

function compile({ components }: OpenApi, schema: object): ValidateFunction {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const validate = compileAnew({ components, ...schema });
  compiled.set(schema, validate);
  return validate;
}

/** @param schema with the components of its document, into which its references point */
function compileAnew(schema: object): ValidateFunction {
  ajv ??= formats.default(new Ajv2020({ strict: false, allErrors: true }));
  const whole = closed(schema) as object;
  const validate = ajv.compile(whole);
  ajv.removeSchema(whole);
  return validate;
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
