import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';

/** A household or a machine owns a whole /64: single addresses in it cost an attacker nothing. */
const IPV6_PREFIX_BITS = 64;

/** What the client of a request is counted under. */
export function clientKey({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  const address = withoutPort(ip);
  // A proxy that passes on what is no address is one client: else each text would be another one.
  return addressKey(isIP(address) === 0 ? (socket.remoteAddress ?? '') : address);
}

/** Some proxies write the port of the client beside its address, an IPv6 one then in brackets. */
function withoutPort(text: string): string {
  const [, v6, v4] = /^(?:\[([^\]]*)\]|([\d.]*))(?::\d+)?$/.exec(text) ?? [];
  return v6 ?? v4 ?? text;
}

/** What an address is counted under: IPv4 as it is (also when mapped into IPv6), IPv6 by its /64. */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${IPV6_PREFIX_BITS}`);
  return `${network.toString()}/${IPV6_PREFIX_BITS}`;
}
