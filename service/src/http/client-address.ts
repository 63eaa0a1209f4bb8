import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * A household or a machine usually has a whole /64, so an attacker can use all its addresses
 * freely.
 */
const IPV6_PREFIX_BITS = 64;

/** What a request says of its client: the server's word, and the other end of its connection. */
interface Addresses {
  readonly ip: string;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** The key under which a request's client is counted for rate limits. */
export function addressKeyOf({ ip, socket }: Addresses): string {
  const address = withoutPort(ip);
  // What is no address is not used as a key: a client could send another text each time.
  return addressKey(isIP(address) === 0 ? (socket.remoteAddress ?? '') : address);
}

/** Some proxies add the port to the client's address; an IPv6 address is then in brackets. */
function withoutPort(text: string): string {
  const [, v6, v4] = /^(?:\[([^\]]*)\]|([\d.]*))(?::\d+)?$/.exec(text) ?? [];
  return v6 ?? v4 ?? text;
}

/** The rate limit key of an address: IPv4 as it is (also if mapped into IPv6), IPv6 as its /64. */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${IPV6_PREFIX_BITS}`);
  return `${network.toString()}/${IPV6_PREFIX_BITS}`;
}
