import { lookup } from 'node:dns/promises';
import { isIPv6, type Socket } from 'node:net';
import { Agent, buildConnector, request as send } from 'undici';
import {
  isLoopbackAddress,
  isPublicAddress,
  isWithin,
  parseIpAddress,
  type IpAddress,
} from '../values/ip-address.ts';
import { SECOND_MS } from '../values/time.ts';
import { OutboundError, type LookUp, type Outbound, type OutboundCall } from './outbound.port.ts';

const LIMIT_MS = 3 * SECOND_MS;
const ANSWER_BYTES = 64 * 1024;
/** Each may hold a connection and an answer. */
const MOST_AT_ONCE = 64;

interface Rules {
  /** IP addresses and CIDRs that may be called although they are private. */
  readonly allowed: readonly string[];
  /** Whether this machine may be called, by http too. */
  readonly mayCallItself: boolean;
}

interface Parts extends Rules {
  readonly lookUp: LookUp;
}

export function createOutbound(parts: Parts): Outbound {
  // No connection is kept: every call is checked, and few come after another to the same host.
  const agent = new Agent({
    connect: guarded(parts),
    pipelining: 0,
    maxResponseSize: ANSWER_BYTES,
  });
  let underWay = 0;
  return {
    async fetch(address, call) {
      if (!isWebAddress(address, parts)) throw new OutboundError('not_https');
      if (underWay >= MOST_AT_ONCE) throw new OutboundError('busy');
      underWay += 1;
      try {
        return await answerTo(address, call, agent);
      } finally {
        underWay -= 1;
      }
    },
  };
}

/** Asks as every program of the machine does: by its hosts file and its resolver. */
export async function systemLookUp(name: string): Promise<IpAddress[]> {
  const found = await lookup(name, { all: true });
  return found.map(({ address }) => parseIpAddress(address)).filter((one) => one !== null);
}

function isWebAddress(address: string, { mayCallItself }: Rules): boolean {
  const { protocol = '' } = URL.parse(address) ?? {};
  return protocol === 'https:' || (protocol === 'http:' && mayCallItself);
}

/** A constructed answer may have no body with these. */
const WITHOUT_BODY = new Set([204, 205, 304]);

/** @throws OutboundError */
async function answerTo(
  address: string,
  { method, headers, body }: OutboundCall,
  dispatcher: Agent,
): Promise<Response> {
  const signal = AbortSignal.timeout(LIMIT_MS);
  const sent = { headers: Object.fromEntries(headers), body: body?.toString() ?? null };
  try {
    const answer = await send(address, { method, ...sent, dispatcher, signal });
    const { statusCode: status } = answer;
    const bytes = await answer.body.arrayBuffer();
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
  }
}

function guarded(parts: Parts): buildConnector.connector {
  return (target, done) => {
    const connect = async () => {
      try {
        done(null, await connected(target, parts));
      } catch (error) {
        done(error instanceof Error ? error : new Error('no connection'), null);
      }
    };
    void connect();
  };
}

/** Connects to an address that was checked, whatever the name leads to by then. @throws OutboundError */
async function connected(target: buildConnector.Options, parts: Parts) {
  const [address, ...others] = await checkedAddresses(target, parts);
  const found = [address, ...others].map((one) => ({ address: one, family: familyOf(one) }));
  const connect = buildConnector({
    timeout: LIMIT_MS,
    // Not asked for what is an address already.
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
): Promise<[IpAddress, ...IpAddress[]]> {
  const isPlain = protocol === 'http:';
  const literal = parseIpAddress(hostname);
  const found = literal === null ? await lookedUp(hostname, parts.lookUp) : [literal];
  const [first, ...others] = found.filter((address) => mayCall(address, isPlain, parts));
  if (first === undefined) throw new OutboundError('address_refused');
  return [first, ...others];
}

async function lookedUp(host: string, lookUp: LookUp): Promise<readonly IpAddress[]> {
  try {
    return await lookUp(host);
  } catch (error) {
    throw new OutboundError('no_connection', codeOf(error));
  }
}

function mayCall(address: IpAddress, isPlain: boolean, { allowed, mayCallItself }: Rules): boolean {
  if (mayCallItself && isLoopbackAddress(address)) return true;
  return !isPlain && (isPublicAddress(address) || isWithin(address, allowed));
}

/** Of undici. */
const TOO_LARGE = 'UND_ERR_RES_EXCEEDED_MAX_SIZE';
const CODE = /^[A-Z][A-Z0-9_]{0,63}$/;

function codeOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' && CODE.test(error.code) ? error.code : null;
}
