import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { SCOPE_HEADER, SCOPE_IN_ADDRESS } from '../errors/expected-formats.ts';
import { Refusal, type FieldFault } from '../errors/refusal.ts';
import { DEFAULT_SCOPE, parseScope } from '../attempt/scenario.ts';
import { BASE_PATH, type HttpContext } from './context.ts';
import { originIn } from './request-target.ts';

/** `{origin}/scopes/{scope}` in front of the base path. */
const SCOPED = new RegExp(`^/scopes/([^/?#]*)(${RegExp.escape(BASE_PATH)}(?:[/?].*)?)$`);

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
