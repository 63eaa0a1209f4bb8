import type { FastifyRequest } from 'fastify';
import type { HttpContext } from './context.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * A page of another site can point its own name at this machine (DNS rebinding); its requests then
 * carry that name. Only the names we know are served.
 */
export function isForUs(context: HttpContext, { headers }: FastifyRequest): boolean {
  const name = hostName(headers.host ?? '');
  return name !== null && allowedNames(context).has(name);
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
