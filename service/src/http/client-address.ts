import ipaddr from 'ipaddr.js';

/** A household or a machine owns a whole /64: single addresses in it cost an attacker nothing. */
const IPV6_PREFIX_BITS = 64;

/** What an address is counted under: IPv4 as it is (also when mapped into IPv6), IPv6 by its /64. */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${IPV6_PREFIX_BITS}`);
  return `${network.toString()}/${IPV6_PREFIX_BITS}`;
}
