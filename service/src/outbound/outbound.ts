import { Resolver } from 'node:dns/promises';
import { isIPv6, type Socket } from 'node:net';
import { buildConnector, request as send } from 'undici';
import { parseIpAddress, type IpAddress } from '../values/ip-address.ts';
import { SECOND_MS, type Ms } from '../values/time.ts';
import { Connections, type Connection, type Keeping } from './connections.ts';
import { OutboundError, type LookUp, type Outbound, type OutboundCall } from './outbound.port.ts';
import { addressesOf, knownAddresses, mayCall, refusalOf, type OutboundRules } from './rules.ts';

const LIMIT_MS = 3 * SECOND_MS;
/** Each may hold a connection and an answer. */
const MOST_AT_ONCE = 64;
/** So that a host that does not answer leaves room for calls to other hosts. */
const MOST_OF_HOST = 16;

interface Parts extends OutboundRules {
  readonly lookUp: LookUp;
  /** By default a second without a call, and 30 in all. */
  readonly keeping?: Keeping;
}

export interface ClosableOutbound extends Outbound {
  /** Ends the connections that are kept. */
  close(): void;
}

export function createOutbound(parts: Parts): ClosableOutbound {
  const turns = createTurns();
  const connections = new Connections(parts.keeping);
  return {
    async fetch(address, call) {
      const refusal = refusalOf(address, parts);
      if (refusal !== null) throw new OutboundError(refusal);
      const { origin, host } = new URL(address);
      await turns.take(host, call.turnMs ?? 0);
      const signal = AbortSignal.timeout(LIMIT_MS);
      const owner = call.keptFor === undefined ? null : `${call.keptFor} ${origin}`;
      const connect = (target: buildConnector.Options) => connectChecked(target, parts, signal);
      const open = () => connections.open({ origin, host, owner, connect }, turns.left());
      const answer = (on: Connection) => answerTo(address, call, { connections, on, signal });
      try {
        const kept = owner === null ? null : await connections.take(owner);
        return (kept && (await answerOrNone(answer, kept, connections))) ?? (await answer(open()));
      } finally {
        turns.giveBack(host);
      }
    },
    close: () => connections.close(),
  };
}

/** @returns null where the host has ended a connection that was kept, as it may at any time */
async function answerOrNone(
  answer: (on: Connection) => Promise<Response>,
  kept: Connection,
  connections: Connections,
): Promise<Response | null> {
  try {
    return await answer(kept);
  } catch (error) {
    const isLost = error instanceof OutboundError && error.fault === 'lost';
    if (isLost && kept.isSilent) return null;
    connections.keepNoMore(kept);
    throw error;
  }
}

interface Waiting {
  readonly host: string;
  readonly begin: () => void;
}

/** How many calls are under way at a time, in all and to one host. */
function createTurns() {
  const ofHosts = new Map<string, number>();
  /** The callers limit how many wait. */
  const waiting = new Set<Waiting>();
  let underWay = 0;
  const underWayTo = (host: string) => ofHosts.get(host) ?? 0;
  const isFree = (host: string) => underWay < MOST_AT_ONCE && underWayTo(host) < MOST_OF_HOST;
  const count = (host: string, change: 1 | -1) => {
    underWay += change;
    const left = underWayTo(host) + change;
    if (left === 0) ofHosts.delete(host);
    else ofHosts.set(host, left);
  };
  return {
    /** @throws OutboundError `busy` */
    async take(host: string, turnMs: Ms): Promise<void> {
      if (isFree(host)) return count(host, 1);
      if (turnMs === 0) throw new OutboundError('busy');
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const one = { host, begin: resolve };
      waiting.add(one);
      const late = AbortSignal.timeout(turnMs);
      const leave = () => {
        waiting.delete(one);
        reject(new OutboundError('busy'));
      };
      late.addEventListener('abort', leave, { once: true });
      await promise.finally(() => late.removeEventListener('abort', leave));
    },
    /** How many more there may be. */
    left: () => MOST_AT_ONCE - underWay,
    giveBack(host: string): void {
      count(host, -1);
      let next: Waiting | null = null;
      for (const one of waiting) {
        const isFirst = next === null || underWayTo(one.host) < underWayTo(next.host);
        if (isFirst && isFree(one.host)) next = one;
      }
      if (next === null) return;
      waiting.delete(next);
      count(next.host, 1);
      next.begin();
    },
  };
}

/**
 * Asks the resolvers of the machine. The look-up of the system, which knows the hosts file too, has so
 * few threads for the whole process that a silent resolver of one name holds up all others, those of
 * the provider too.
 */
export async function systemLookUp(name: string, signal: AbortSignal): Promise<IpAddress[]> {
  const known = knownAddresses(name);
  if (known.length > 0) return known;
  const resolver = new Resolver({ timeout: SECOND_MS / 2, tries: 2 });
  signal.addEventListener('abort', () => resolver.cancel(), { once: true });
  const asked = [resolver.resolve4(name), resolver.resolve6(name)];
  const answers = await Promise.allSettled(asked);
  const found = answers.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  // Where both have failed, the error of the first.
  return addressesOf(found.length > 0 ? found : (await Promise.all(asked)).flat());
}

/** A constructed answer may have no body with these. */
const WITHOUT_BODY = new Set([204, 205, 304]);

interface Way {
  readonly connections: Connections;
  readonly on: Connection;
  readonly signal: AbortSignal;
}

/** @throws OutboundError */
async function answerTo(
  address: string,
  { method, headers, body }: OutboundCall,
  { connections, on, signal }: Way,
): Promise<Response> {
  // Also ends a connection that is not there yet, which the signal alone does not.
  const end = () => on.end();
  signal.addEventListener('abort', end, { once: true });
  const sent = { headers: Object.fromEntries(headers), body: body?.toString() ?? null };
  let isWell = false;
  try {
    const answer = await send(address, { method, ...sent, dispatcher: on.client, signal });
    const { statusCode: status } = answer;
    const bytes = await answer.body.arrayBuffer();
    isWell = on.owner !== null && status >= 200 && status < 300;
    const contentType = [answer.headers['content-type'] ?? ''].flat().join(', ');
    return new Response(WITHOUT_BODY.has(status) ? null : bytes, {
      status,
      headers: { 'content-type': contentType },
    });
  } catch (error) {
    if (signal.aborted) throw new OutboundError('timeout');
    if (error instanceof OutboundError) throw error;
    const code = codeOf(error);
    throw new OutboundError(code === TOO_LARGE ? 'too_large' : 'lost', code);
  } finally {
    signal.removeEventListener('abort', end);
    connections.giveBack(on, isWell);
  }
}

/** Connects to an address that was checked, whatever the name leads to by then. @throws OutboundError */
async function connectChecked(
  target: buildConnector.Options,
  parts: Parts,
  signal: AbortSignal,
): Promise<Socket> {
  const [address, ...others] = await checkedAddresses(target, parts, signal);
  signal.throwIfAborted();
  const found = [address, ...others].map((one) => ({ address: one, family: familyOf(one) }));
  const connect = buildConnector({
    timeout: LIMIT_MS,
    // Not called where the host is an IP address.
    lookup: (_name, { all }, answer) =>
      all === true ? answer(null, found) : answer(null, address, familyOf(address)),
  });
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  connect(target, (...[error, socket]) => {
    if (error === null) resolve(socket);
    else reject(new OutboundError('no_connection', codeOf(error)));
  });
  return promise;
}

const familyOf = (address: IpAddress) => (isIPv6(address) ? 6 : 4);

/** @throws OutboundError */
async function checkedAddresses(
  { hostname, protocol }: buildConnector.Options,
  parts: Parts,
  signal: AbortSignal,
): Promise<[IpAddress, ...IpAddress[]]> {
  const isPlain = protocol === 'http:';
  const literal = parseIpAddress(hostname);
  const found =
    literal === null ? await addressesOfName(hostname, parts.lookUp, signal) : [literal];
  const [first, ...others] = found.filter((address) => mayCall(address, isPlain, parts));
  if (first === undefined) throw new OutboundError('address_refused');
  return [first, ...others];
}

async function addressesOfName(
  host: string,
  lookUp: LookUp,
  signal: AbortSignal,
): Promise<readonly IpAddress[]> {
  try {
    return await lookUp(host, signal);
  } catch (error) {
    throw new OutboundError('no_address', codeOf(error));
  }
}

/** The error code of undici for an answer that is larger than `maxResponseSize`. */
const TOO_LARGE = 'UND_ERR_RES_EXCEEDED_MAX_SIZE';
const CODE = /^[A-Z][A-Z0-9_]{0,63}$/;

function codeOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' && CODE.test(error.code) ? error.code : null;
}
