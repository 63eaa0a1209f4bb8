import ipaddr from 'ipaddr.js';
import type { Branded } from './brand.ts';

/** IPv4 as four numbers, IPv6 as RFC 5952 has it, and IPv4 in IPv6 as IPv4. */
export type IpAddress = Branded<string, 'IpAddress'>;

/**
 * A household or a machine usually has a whole /64, so an attacker can use all its addresses
 * freely.
 */
const IPV6_PREFIX_BITS = 64;

/** IPv6 with IPv4 in it has 45, its zone may be the name of an interface; then brackets and a port. */
const MOST_CHARACTERS = 100;

/** The address alone, or with a port. IPv6 has to be in brackets before a port. */
const WRITTEN = /^(?:\[([^[\]]+)\]|([\d.]+))(?::\d{1,5})?$/;
/** RFC 4007 section 11.2: the zone says which link of that machine it is, and nothing of it elsewhere. */
const ZONED = /^([^%]*:[^%]*)%[\w.~%-]+$/;

/** Reads an address as sockets, proxies and back ends write one; null for what is none. */
export function parseIpAddress(text: string): IpAddress | null {
  if (text.length > MOST_CHARACTERS) return null;
  const [, v6, v4] = WRITTEN.exec(text) ?? [];
  const alone = v6 ?? v4 ?? text;
  const [, address = alone] = ZONED.exec(alone) ?? [];
  return isWellFormed(address) ? (ipaddr.process(address).toString() as IpAddress) : null;
}

/** The library takes octal and short forms of IPv4 too, which others read as other addresses. */
function isWellFormed(address: string): boolean {
  const lastPart = address.slice(address.lastIndexOf(':') + 1);
  if (address.includes('.') && !ipaddr.IPv4.isValidFourPartDecimal(lastPart)) return false;
  return lastPart === address ? address.includes('.') : ipaddr.IPv6.isValid(address);
}

/** What an address is counted as: IPv4 as it is, IPv6 as its /64. */
export function networkOf(address: IpAddress): string {
  if (!address.includes(':')) return address;
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${address}/${IPV6_PREFIX_BITS}`);
  return `${network.toString()}/${IPV6_PREFIX_BITS}`;
}

/** Of IPv6, what is given out for use in the whole Internet (RFC 4291 section 2.4). */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether it is a machine of the Internet: of no network that is private or reserved, or leads to
 * another network (6to4, NAT64, Teredo).
 */
export function isPublicAddress(address: IpAddress): boolean {
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_IPV6);
}

export function isLoopbackAddress(address: IpAddress): boolean {
  return ipaddr.parse(address).range() === 'loopback';
}

/** @param networks IP addresses and CIDRs */
export function isWithin(address: IpAddress, networks: readonly string[]): boolean {
  const parsed = ipaddr.parse(address);
  return networks.some((network) => {
    const [first, bits] = network.includes('/')
      ? ipaddr.parseCIDR(network)
      : [ipaddr.parse(network), WHOLE];
    if (first.kind() !== parsed.kind()) return false;
    return parsed.match(first, Math.min(bits, first.kind() === 'ipv4' ? 32 : WHOLE));
  });
}

/** Bits of an IPv6 address. */
const WHOLE = 128;
