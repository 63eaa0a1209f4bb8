/**
 * What the OpenAPI documents of the service and of the simulator have in common. They are made of
 * the routes' own schemas, which check requests and form answers; here is where a document says
 * something else than a check does.
 */

import { WHOLE_NUMBER } from './index.ts';

export interface Parameter {
  readonly [member: string]: unknown;
  schema?: Readonly<Record<string, unknown>>;
}

export interface Response {
  readonly description: string;
  headers?: Readonly<Record<string, unknown>>;
  content?: unknown;
}

export interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, Response>>;
}

/** The parts of an OpenAPI document that are changed. */
export interface Document {
  readonly paths?: object;
  components?: object;
}

/** A header of answers, by its name. */
export type Headers = Readonly<Record<string, object>>;

/** The headers of one answer, by the status and by what else the operation answers. */
export type HeadersOf = (status: string, operation: Operation) => readonly string[];

/**
 * Finishes a document in place: queries have numbers, answers are open, and each answer names its
 * headers, of which `headers` has all.
 */
export function finishDocument(document: Document, headers: Headers, headersOf: HeadersOf): void {
  for (const operation of operationsOf(document)) {
    for (const parameter of operation.parameters ?? []) describeNumber(parameter);
    for (const [status, response] of Object.entries(operation.responses)) {
      if (response.content !== undefined) response.content = opened(response.content);
      const names = headersOf(status, operation);
      response.headers = Object.fromEntries(names.map((name) => [name, referenceTo(name)]));
    }
  }
  const { components = {} } = document;
  const schemas = 'schemas' in components ? opened(components.schemas) : {};
  document.components = { ...components, schemas, headers };
}

function operationsOf({ paths }: Document): readonly Operation[] {
  const items: readonly unknown[] = Object.values(paths ?? {});
  const members = items.flatMap((item): unknown[] => Object.values(item ?? {}));
  return members.filter(isOperation);
}

function isOperation(member: unknown): member is Operation {
  return typeof member === 'object' && member !== null && 'responses' in member;
}

const referenceTo = (name: string) => ({ $ref: `#/components/headers/${name}` });

/** All members of a query are texts, so a text is checked; what it means is a number. */
function describeNumber(parameter: Parameter): void {
  const limits = parameter.schema?.[WHOLE_NUMBER];
  if (typeof limits === 'object') parameter.schema = { type: 'integer', ...limits };
}

/**
 * Answers may get members in any version, so a reader of the document must not refuse them. The
 * service itself goes on sending only what its schemas name.
 */
function opened(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(opened);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(
    ([name, member]) => name !== 'additionalProperties' || typeof member !== 'boolean',
  );
  return Object.fromEntries(members.map(([name, member]) => [name, opened(member)]));
}
