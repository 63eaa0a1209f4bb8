import { isAllowedHost } from './check-host.ts';
import { BASE_PATH, type HttpContext } from './context.ts';
import { targetOf } from './request-target.ts';

/**
 * Who can set cookies for this host, from a sibling of its name, can make a browser's head too large
 * to be read, and so keep a person from coming back who has approved what somebody else launched.
 * @param head the beginning of a head that was too large
 * @returns the state of a return of the provider, or null when the head is of anything else
 */
export function lostState(context: HttpContext, head: Buffer): string | null {
  const [first = '', ...fields] = head.toString('latin1').split('\r\n');
  const [, url] = /^GET (\S+) HTTP\/1\.[01]$/.exec(first) ?? [];
  const hosts = fields.filter((field) => /^host:/i.test(field));
  if (url === undefined || hosts.length !== 1) return null;
  const { authority, path, query } = targetOf({ url });
  const named = [hosts[0]?.slice('host:'.length).trim() ?? '', authority ?? ''];
  const areOurs = named.every((name) => name === '' || isAllowedHost(context, name));
  if (path !== `${BASE_PATH}/callback` || named[0] === '' || !areOurs) return null;
  return new URLSearchParams(query).get('state');
}
