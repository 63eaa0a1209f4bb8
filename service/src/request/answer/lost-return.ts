import { isAllowedHost, targetOf } from '../request-head.ts';
import { BASE_PATH, type HttpContext } from '../context.ts';

/**
 * Finds the state of a provider's return whose head was too large to be read. An attacker on a
 * sibling host can set cookies for this host, and so make the browser's head too large. Without
 * this the attacker could keep a person who approved the attacker's sign-in from coming back. To
 * accept larger heads would only move the limit: a browser can be given 700 KB of cookies.
 * @param head the beginning of the head that was too large
 * @returns the state, or null when the head belongs to another request
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
