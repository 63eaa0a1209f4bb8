import type { FastifyRequest } from 'fastify';
import type { ErrorCode } from '../errors/catalogue.ts';
import type { HttpContext } from './context.ts';
import { targetOf } from './request-target.ts';

const HOST = 'host';
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Refuses unknown names in the Host header and in the request's target: another site can point its
 * own name to this machine (DNS rebinding), and its requests then have that name. Two Host headers
 * make a request malformed (RFC 9112 section 3.2), because servers differ in which one they use.
 */
export function hostFault(context: HttpContext, request: FastifyRequest): ErrorCode | null {
  if (hasSeveralHosts(request)) return 'request.malformed';
  const { authority } = targetOf(request);
  const isOurs =
    isAllowedHost(context, request.headers.host ?? '') &&
    (authority === null || isAllowedHost(context, authority));
  return isOurs ? null : 'request.misdirected';
}

/** @param host a name or an address, with a port or without */
export function isAllowedHost(context: HttpContext, host: string): boolean {
  const name = hostName(host);
  return name !== null && allowedNames(context).has(name);
}

/**
 * The parser keeps only the first of several, so the raw list is read: it has names and values
 * alternately.
 */
function hasSeveralHosts({ raw: { rawHeaders } }: FastifyRequest): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === HOST.length && name.toLowerCase() === HOST) hosts += 1;
  }
  return hosts > 1;
}

const known = new WeakMap<HttpContext, ReadonlySet<string>>();

function allowedNames(context: HttpContext): ReadonlySet<string> {
  const names = known.get(context) ?? readAllowedNames(context);
  known.set(context, names);
  return names;
}

function readAllowedNames({ settings, services }: HttpContext): ReadonlySet<string> {
  const own = new URL(settings.publicUrl).hostname;
  const listed = settings.allowedHosts.map((host) => (host.includes(':') ? `[${host}]` : host));
  const local = services.rules.trustsLoopback ? LOOPBACK : [];
  return new Set([...local, own, ...listed]);
}

/** The name without its port, in lower case; null for an invalid Host header. */
function hostName(host: string): string | null {
  const [, name] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i.exec(host) ?? [];
  return name === undefined ? null : name.toLowerCase();
}
