import type { FastifyRequest } from 'fastify';
import type { ErrorCode } from '../domain/errors/catalogue.ts';
import type { HttpContext } from './context.ts';
import { targetOf } from './request-target.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * A page of another site can point its own name at this machine (DNS rebinding); its requests then
 * carry that name. Only the names we know are served, in the target as in the Host header.
 */
export function hostFault(context: HttpContext, request: FastifyRequest): ErrorCode | null {
  const { authority } = targetOf(request);
  const named = [request.headers.host ?? '', ...(authority === null ? [] : [authority])];
  const allowed = allowedNames(context);
  const areOurs = named.map(hostName).every((name) => name !== null && allowed.has(name));
  return areOurs ? null : 'request.misdirected';
}

const known = new WeakMap<HttpContext, ReadonlySet<string>>();

function allowedNames(context: HttpContext): ReadonlySet<string> {
  const names = known.get(context) ?? readAllowedNames(context);
  known.set(context, names);
  return names;
}

function readAllowedNames({ settings }: HttpContext): ReadonlySet<string> {
  const own = new URL(settings.publicUrl).hostname;
  const listed = settings.allowedHosts.map((host) => (host.includes(':') ? `[${host}]` : host));
  return new Set([...LOOPBACK, own, ...listed]);
}

/** The name without its port, in lower case; null for what is no Host header. */
function hostName(host: string): string | null {
  const [, name] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i.exec(host) ?? [];
  return name === undefined ? null : name.toLowerCase();
}
