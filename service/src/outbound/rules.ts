import type { Client } from '../account/client.ts';
import {
  isLoopbackAddress,
  isPublicAddress,
  isWithin,
  parseIpAddress,
  type IpAddress,
} from '../values/ip-address.ts';

/** What may be called at all, by rules 1 and 2 of `outbound.port.ts`. */
export interface OutboundRules {
  /** IP addresses and CIDRs that may be called although they are private. */
  readonly allowed: readonly string[];
  /** Whether this machine may be called, by http too. */
  readonly mayCallItself: boolean;
}

interface Settings {
  readonly outboundAllow: readonly string[];
  readonly provider: 'simulator' | 'live';
}

export function outboundRules({ outboundAllow, provider }: Settings): OutboundRules {
  return { allowed: outboundAllow, mayCallItself: provider === 'simulator' };
}

export function mayCall(
  address: IpAddress,
  isPlain: boolean,
  { allowed, mayCallItself }: OutboundRules,
): boolean {
  if (mayCallItself && isLoopbackAddress(address)) return true;
  return !isPlain && (isPublicAddress(address) || isWithin(address, allowed));
}

const NO_ADDRESS = { protocol: '', hostname: '' };

/** Why an address is never called, whatever the resolvers say of its name; null where it may be. */
export function refusalOf(
  address: string,
  rules: OutboundRules,
): 'not_https' | 'address_refused' | null {
  const { protocol, hostname } = URL.parse(address) ?? NO_ADDRESS;
  const isPlain = protocol === 'http:' && rules.mayCallItself;
  if (protocol !== 'https:' && !isPlain) return 'not_https';
  const known = knownAddresses(hostname);
  return known.length === 0 || known.some((one) => mayCall(one, isPlain, rules))
    ? null
    : 'address_refused';
}

/** What every machine calls itself (RFC 6761, section 6.3), whatever its resolver says. */
const OWN_NAME = /^(?:.+\.)?localhost\.?$/i;
const OWN_ADDRESSES = ['127.0.0.1', '::1'];

/** Those of a host that no resolver is asked for. */
export function knownAddresses(host: string): IpAddress[] {
  return addressesOf(OWN_NAME.test(host) ? OWN_ADDRESSES : [host]);
}

export function addressesOf(texts: readonly string[]): IpAddress[] {
  return texts.map(parseIpAddress).filter((one) => one !== null);
}

const WHY = {
  not_https: 'it is no https, which only the simulator does without',
  address_refused: 'it is of a private or reserved network that OUTBOUND_ALLOW does not have',
} as const;

/** An address of an entry at which nobody is ever told. */
export interface Uncalled {
  readonly client: string;
  readonly address: string;
  /** Names the member in the place of the address, which may have a secret. */
  readonly said: string;
}

export function uncalledIn(clients: readonly Client[], rules: OutboundRules): Uncalled[] {
  return clients.flatMap((client) =>
    toldAt(client).flatMap(({ member, address }) => {
      const why = refusalOf(address, rules);
      const said = `"${member}" of ${client.id} is never called: ${why === null ? '' : WHY[why]}`;
      return why === null ? [] : [{ client: client.id, address, said }];
    }),
  );
}

function toldAt({ webhooks, openid }: Client) {
  const logout = openid?.backchannelLogout?.uri ?? null;
  const ping = openid?.backchannelDelivery?.notificationEndpoint ?? null;
  return [
    ...webhooks.map(({ url }, index) => ({ member: `webhooks[${index}]/url`, address: url })),
    ...(logout === null ? [] : [{ member: 'openid/backchannel_logout_uri', address: logout }]),
    ...(ping === null
      ? []
      : [{ member: 'openid/backchannel_client_notification_endpoint', address: ping }]),
  ];
}
