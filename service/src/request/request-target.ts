import type { FastifyRequest } from 'fastify';

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
export function originIn(url: string): string {
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
