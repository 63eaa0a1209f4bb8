import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { Refusal, type FieldFault } from '../domain/errors/refusal.ts';
import { DEFAULT_SCOPE, parseScope } from '../domain/scenario.ts';
import { BASE_PATH, type HttpContext } from './context.ts';

const HEADER = 'X-Miftah-Scope';
/** `{origin}/scopes/{scope}` in front of the base path. */
const SCOPED = new RegExp(`^/scopes/([^/?#]*)(${RegExp.escape(BASE_PATH)}(?:[/?].*)?)$`);

/** What is wrong with the scope in the address of a request. */
const faults = new WeakMap<IncomingMessage, FieldFault>();

/**
 * The target of a request without the scope in its address, which goes on as the header: an
 * application that can't send a header has a base address of its own instead.
 */
export function withoutScope(request: IncomingMessage): string {
  const { url = '', headers } = request;
  const [, named = '', target] = SCOPED.exec(url) ?? [];
  if (target === undefined) return url;
  const inHeader = headers['x-miftah-scope'];
  if (parseScope(named) === null) faults.set(request, fault(ALLOWED));
  else if (inHeader !== undefined && inHeader !== named) faults.set(request, fault(ONE_SCOPE));
  else headers['x-miftah-scope'] = named;
  return target;
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

const ALLOWED = {
  en: 'in the address too, it is 1 to 64 of the characters a-z, 0-9 and hyphen',
  ar: 'وهو في العنوان أيضًا من 1 إلى 64 من الأحرف a-z والأرقام 0-9 والشرطة',
};
const ONE_SCOPE = {
  en: 'it names another scope than the address; leave one of them out',
  ar: 'فهو يسمّي نطاقًا غير الذي في العنوان؛ اترك أحدهما',
};

function fault(expected: NonNullable<FieldFault['expected']>): FieldFault {
  return { field: HEADER, pointer: '', rule: 'format', expected };
}
