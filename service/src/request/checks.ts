import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { ErrorCode } from '../errors/catalogue.ts';
import { Refusal } from '../errors/refusal.ts';
import { BASE_PATH, type HttpContext } from './context.ts';
import { targetOf } from './request-target.ts';
import type { Urgency } from '../server/request-groups.ts';

/** Checks a request before its body is read. @throws Refusal when the request is to be refused */
export type Check = (request: FastifyRequest, reply: FastifyReply) => void;

/**
 * Makes a check a hook of the framework. The hook uses the callback: one that returns a promise
 * would cost each request three more turns of the microtask queue.
 */
export function hookOf(check: Check) {
  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    check(request, reply);
    done();
  };
}

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

const START = `${BASE_PATH}/start`;
const WATCHES = new Set(['/livez', '/readyz', '/metrics']);
const RETRY_AFTER_SECONDS = 1;

const late = new WeakSet<IncomingMessage>();

export function urgencyOf({ method, url = '' }: IncomingMessage): Urgency {
  if (method === 'POST') return pathOf(url) === START ? 'start' : 'usual';
  return WATCHES.has(pathOf(url)) ? 'watch' : 'usual';
}

function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

/** The request has waited too long to be begun. */
export function markLate(request: IncomingMessage): void {
  late.add(request);
}

/**
 * Refuses a start while there is too much to do, before its body is read and before anything was
 * done for it. Rate limits come first, so that a client that is over its quota is told so, and does
 * not take what is admitted in any case.
 */
export function refuseOverload({ admission, clock }: HttpContext) {
  return hookOf(({ raw }) => {
    const limit = admission.limitOf(late.has(raw), clock.now());
    if (limit === null) return;
    throw new Refusal('server.overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS, limit });
  });
}
