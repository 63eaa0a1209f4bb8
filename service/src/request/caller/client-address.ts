import { BlockList, isIPv6 } from 'node:net';
import { networkOf, parseIpAddress, type IpAddress } from '../../values/ip-address.ts';
import { isDue, MINUTE_MS, type Ms } from '../../values/time.ts';
import type { Clock } from '../../platform/runtime.port.ts';

/** What a request says of its client: the server's word, and the other end of its connection. */
interface Sender {
  /** The last address in front of the trusted proxies, as one of them has written it. */
  readonly ip: string | undefined;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

interface Parts {
  /** IP addresses and CIDRs. */
  readonly trustedProxies: readonly string[];
  readonly clock: Clock;
  /** Told at most once a minute of forwarded text that is no address; `count` more were not told. */
  readonly onUnreadable: (count: number) => void;
}

/** Where requests come from. The only reader of the addresses of connections and proxies. */
export class ClientAddresses {
  readonly #parts: Parts;
  readonly #proxies = new BlockList();
  readonly #known = new WeakMap<Sender, IpAddress | null>();
  #toldAt: Ms | null = null;
  #untold = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    for (const network of parts.trustedProxies) this.#addProxy(network);
  }

  #addProxy(network: string): void {
    const [address = '', bits] = network.split('/');
    const family = familyOf(address);
    if (bits === undefined) this.#proxies.addAddress(address, family);
    else this.#proxies.addSubnet(address, Number(bits), family);
  }

  get hasProxies(): boolean {
    return this.#parts.trustedProxies.length > 0;
  }

  /** Whether it is of a trusted proxy. A connection that is gone has no address. */
  isTrusted(text: string | undefined): boolean {
    const address = parseIpAddress(text ?? '');
    return address !== null && this.#proxies.check(address, familyOf(address));
  }

  /** Null for a connection that is gone, or has no address. */
  of(sender: Sender): IpAddress | null {
    const known = this.#known.get(sender) ?? this.#read(sender);
    this.#known.set(sender, known);
    return known;
  }

  /** What the client is counted as: its address, or the network of it that belongs to one. */
  keyOf(sender: Sender): string {
    const address = this.of(sender);
    return address === null ? '' : networkOf(address);
  }

  #read({ ip, socket: { remoteAddress } }: Sender): IpAddress | null {
    const address = parseIpAddress(ip ?? '');
    if (address !== null) return address;
    // What is no address is not used as a key: a client could send another text each time.
    if (ip !== remoteAddress) this.#tell(this.#parts.clock.now());
    return parseIpAddress(remoteAddress ?? '');
  }

  #tell(now: Ms): void {
    if (this.#toldAt !== null && !isDue(this.#toldAt + MINUTE_MS, MINUTE_MS, now)) {
      this.#untold += 1;
      return;
    }
    this.#parts.onUnreadable(this.#untold);
    this.#toldAt = now;
    this.#untold = 0;
  }
}

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');
