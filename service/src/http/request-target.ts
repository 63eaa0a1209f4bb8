import type { FastifyRequest } from 'fastify';

interface RequestTarget {
  /** Host and port in the absolute form, which is for proxies; null in the usual one. */
  readonly authority: string | null;
  readonly path: string;
  readonly query: string;
}

const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i;

/** RFC 9112 section 3.2: what stands in the first line of a request, taken apart. */
export function targetOf({ url }: Pick<FastifyRequest, 'url'>): RequestTarget {
  const [prefix = '', authority = null] = url.startsWith('/') ? [] : (ABSOLUTE.exec(url) ?? []);
  const [path = '', query = ''] = url.slice(prefix.length).split('?', 2);
  return { authority, path, query };
}

/**
 * A path with broken escapes can't be decoded, and the framework would turn it away by itself. Here
 * each sign then stands for itself: an id like `%ff` is one that nobody has.
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
