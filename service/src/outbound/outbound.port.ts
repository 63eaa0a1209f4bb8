import type { IpAddress } from '../values/ip-address.ts';
import type { Ms } from '../values/time.ts';

export interface OutboundCall {
  readonly method: string;
  readonly headers: Iterable<readonly [string, string]>;
  readonly body?: string | URLSearchParams;
  /** How long it may wait while too many calls are under way: by default not at all. */
  readonly turnMs?: Ms;
  /** Whose connections it may use, and leave for others with the same; by default one of its own. */
  readonly keptFor?: string;
}

/**
 * Calls to other hosts that the entry of a client names: whoever writes that entry, or owns a name in
 * it, must not reach what only this machine reaches.
 *
 * 1. By https alone; in simulator mode also by http on this machine.
 * 2. The address that is connected to is the one that was checked: a name is looked up once, and can
 *    not lead elsewhere afterwards. It is public, or of `OUTBOUND_ALLOW`; in simulator mode also this
 *    machine.
 * 3. A redirect is an answer like others, and not followed. Nothing is sent twice, except where the
 *    host has ended a kept connection (6) and nothing of an answer has come: then once more, on a new one.
 * 4. From its turn on a call has three seconds, and its answer 64 KB. It waits for its turn no longer
 *    than `turnMs`, and not at all by default.
 * 5. Of those that wait, one to the host with the fewest calls under way is the next. How many wait is
 *    limited by the callers.
 * 6. One call at a time uses a connection. It is kept for calls to the same origin with the same
 *    `keptFor` after an answer of 2xx that was read to its end, and no byte may come between two calls.
 *    Without a call it is kept for a second, in all for 30: until then rule 2 holds for the address
 *    that it has. One of a host is kept, and only while no other call to the host is under way: a host
 *    that serves one connection at a time holds up nothing by it. Where a call has failed on a kept
 *    connection, further ones have one each for ten minutes. With those that are kept there are no more connections
 *    than calls may be under way.
 */
export interface Outbound {
  /** @throws OutboundError */
  fetch(address: string, call: OutboundCall): Promise<Response>;
}

/**
 * Why there is no answer:
 *
 * - `not_https` (also what is no address), `address_refused`: by rules 1 and 2. Nothing was sent.
 * - `busy`: too many calls are under way, in all or to this host. Nothing was sent.
 * - `no_address`: the resolvers have none for the name. Nothing was sent.
 * - `no_connection`: nobody accepts, or TLS failed. Nothing was sent.
 * - `timeout`, `too_large`: by rule 4.
 * - `lost`: the connection ended before the answer, or that is no HTTP.
 */
export type OutboundFault =
  | 'not_https'
  | 'address_refused'
  | 'busy'
  | 'no_address'
  | 'no_connection'
  | 'timeout'
  | 'too_large'
  | 'lost';

/** Has no part of the address, of what was sent, and of what came. */
export class OutboundError extends Error {
  readonly fault: OutboundFault;
  /** Of Node or OpenSSL, such as `ENOTFOUND` or `CERT_HAS_EXPIRED`. */
  readonly code: string | null;

  constructor(fault: OutboundFault, code: string | null = null) {
    super(code === null ? fault : `${fault} (${code})`);
    this.name = 'OutboundError';
    this.fault = fault;
    this.code = code;
  }
}

/** The addresses of a name. @param signal when nobody waits for them any more @throws an error with a code */
export type LookUp = (name: string, signal: AbortSignal) => Promise<readonly IpAddress[]>;
