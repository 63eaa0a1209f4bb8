import type { IncomingMessage } from 'node:http';
import { readIds } from '@miftah/contract/uuid';
import type { FastifyRequest } from 'fastify';
import { DEFAULT_SCOPE, parseScope } from '../attempt/scenario.ts';
import { SCOPE_HEADER, SCOPE_IN_ADDRESS } from '../errors/expected-formats.ts';
import { type FieldFault, Refusal } from '../errors/refusal.ts';
import { BASE_PATH, type HttpContext } from './context.ts';

interface RequestTarget {
  /**
   * Host and port if the target is in absolute form, as sent to proxies; null in the usual form.
   */
  readonly authority: string | null;
  readonly path: string;
  readonly query: string;
}

const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i;

/** Scheme, host and port before the path of a target in absolute form; else ''. */
function originIn(url: string): string {
  return url.startsWith('/') ? '' : (ABSOLUTE.exec(url)?.[0] ?? '');
}

/** The parts of a request's target (RFC 9112 section 3.2). */
export function targetOf({ url }: Pick<FastifyRequest, 'url'>): RequestTarget {
  const [prefix = '', authority = null] = url.startsWith('/') ? [] : (ABSOLUTE.exec(url) ?? []);
  const [path = '', query = ''] = url.slice(prefix.length).split('?', 2);
  return { authority, path, query };
}

/**
 * Escapes each `%` of a path that can't be decoded. Otherwise the framework would refuse the path
 * itself; an id like `%ff` is then simply unknown.
 */
export function withWholeEscapes(url: string): string {
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  return isDecodable(path) ? url : path.replaceAll('%', '%25') + url.slice(path.length);
}

function isDecodable(path: string): boolean {
  if (!path.includes('%')) return true;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** Every member that names an attempt or a token. `state` is an attempt's id, or the provider's. */
const NAMED_IDS = ['attempt_id', 'token_id', 'state', 'after'] as const;

/**
 * RFC 9562 section 4: a UUID is read in either case. It is made canonical before anything looks at
 * it: limits are counted, cookies named and time lines kept under the id.
 */
export function readIdsOfAddress({ params, query }: FastifyRequest): void {
  readIds(params, NAMED_IDS);
  readIds(query, NAMED_IDS);
}

export function readIdsOfBody({ body }: FastifyRequest): void {
  readIds(body, NAMED_IDS);
}

/** `{origin}/scopes/{scope}` in front of the base path. */
const SCOPED = new RegExp(`^/scopes/([^/?#]*)(${RegExp.escape(BASE_PATH)}(?:[/?].*)?)$`);

/**
 * The path without a scope in front of it, also where the base path does not follow. Live mode has no
 * scopes, so a path of one is as unknown as any other there.
 */
export function pathInScope({ scenarios }: HttpContext, path: string): string {
  return scenarios === null ? path : path.replace(/^\/scopes\/[^/]+(?=\/)/, '');
}

/** What is wrong with the scope in the address of a request. */
const faults = new WeakMap<IncomingMessage, FieldFault>();

/**
 * Moves the scope in the address of a request to its header: an application that can't send a header
 * has a base address of its own instead. What is wrong with the scope is kept for
 * `refuseScopeOfAddress`.
 * @returns the target of the request without the scope
 */
export function moveScopeToHeader(request: IncomingMessage): string {
  const { url = '', headers } = request;
  const origin = originIn(url);
  const [, named = '', target] = SCOPED.exec(url.slice(origin.length)) ?? [];
  if (target === undefined) return url;
  const inHeader = headers['x-miftah-scope'];
  if (parseScope(named) === null) faults.set(request, NO_SCOPE);
  else if (inHeader !== undefined && inHeader !== named) faults.set(request, TWO_SCOPES);
  else headers['x-miftah-scope'] = named;
  return origin + target;
}

/** @throws Refusal `validation.failed` */
export function refuseScopeOfAddress({ raw }: FastifyRequest): void {
  const found = faults.get(raw);
  if (found !== undefined) throw new Refusal('validation.failed', { faults: [found] });
}

/** Only names that are scopes: other callers can't make up keys. */
export function scopeOfRequest({ scenarios }: HttpContext, { headers }: FastifyRequest): string {
  const named = headers['x-miftah-scope'];
  if (scenarios === null || typeof named !== 'string') return DEFAULT_SCOPE;
  return parseScope(named) ?? DEFAULT_SCOPE;
}

const NO_SCOPE: FieldFault = { field: SCOPE_IN_ADDRESS, pointer: '', rule: 'format' };
const TWO_SCOPES: FieldFault = {
  field: SCOPE_HEADER,
  pointer: '',
  rule: 'format',
  expected: {
    en: 'it names another scope than the address; leave one of them out',
    ar: 'فهو يسمّي نطاقًا غير الذي في العنوان؛ اترك أحدهما',
  },
};
