import type { Readable } from 'node:stream';
import { Agent, buildConnector, request as send } from 'undici';
import type { Ms } from '../../values/time.ts';
import type { TransportFaultKind } from '../../values/transport-fault.ts';
import { readBody, type Body } from './read-body.ts';
import { tlsFaultOf } from './tls-fault.ts';

/**
 * Contains only the system's error code, because messages of libraries quote addresses and more.
 */
export class TransportFault extends Error {
  readonly kind: TransportFaultKind;

  constructor(kind: TransportFaultKind, systemCode: string) {
    super(`${kind} (${systemCode})`);
    this.name = 'TransportFault';
    this.kind = kind;
  }
}

export interface WireRequest {
  readonly method: 'GET' | 'POST';
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export interface WireReply {
  readonly status: number;
  /** Whether the provider states that it is a simulator. */
  readonly simulated: boolean;
  /** The Retry-After header if it is in whole seconds; otherwise null. */
  readonly retryAfterSeconds: number | null;
  /** The Date header, when the answer was made; null without one. */
  readonly date: string | null;
  /** Without its parameters; the empty text without one. */
  readonly contentType: string;
  /** In lower case. */
  readonly headerNames: readonly string[];
  readonly body: Body;
}

export interface Transport {
  /** @throws TransportFault */
  send(request: WireRequest, deadline: AbortSignal): Promise<WireReply>;
  /**
   * Makes new connections for the calls that follow, so that the server is looked at anew. Current
   * calls end on theirs.
   */
  renew?(): void;
  /** Accepts no new calls, and resolves when the current ones have ended. */
  close(): Promise<void>;
}

const CONNECTIONS = 64;

/**
 * One connection pool to one origin. Node's `fetch` is not used, because it sends a request again
 * after a 421 (Fetch standard, HTTP-network-or-cache fetch), which would be a second push.
 */
export function createTransport(origin: string, connectTimeoutMs: Ms): Transport {
  const open = () => new Agent({ connections: CONNECTIONS, connect: connector(connectTimeoutMs) });
  let agent = open();
  const closing = new Set<Promise<void>>();
  return {
    async send({ method, target, headers, body }, deadline): Promise<WireReply> {
      try {
        const options = { method, headers, body, dispatcher: agent, signal: deadline };
        return await toReply(await send(`${origin}${target}`, options));
      } catch (error) {
        throw faultOf(error, deadline);
      }
    },
    renew() {
      const closed = agent.close().finally(() => closing.delete(closed));
      closing.add(closed);
      agent = open();
    },
    async close() {
      await Promise.all([...closing, agent.close()]);
    },
  };
}

/** An error while connecting, as opposed to one on an established connection. */
class ConnectFault extends Error {
  readonly systemCode: string;

  constructor(error: Error) {
    super('no connection');
    this.systemCode = systemCodeOf(error);
  }
}

function connector(timeout: Ms): buildConnector.connector {
  const connect = buildConnector({ timeout });
  return (options, done) =>
    connect(options, (...[error, socket]) => {
      if (error === null) done(null, socket);
      else done(new ConnectFault(error), null);
    });
}

/** An HTTP answer, from the network or from a test. */
export interface HttpAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  readonly body: Readable;
}

/** Reads the answer up to its limits. @throws the error of the body's stream */
export async function toReply(response: HttpAnswer): Promise<WireReply> {
  const header = (name: string) => [response.headers[name] ?? ''].flat().join(', ');
  const contentType = header('content-type');
  const contentEncoding = header('content-encoding');
  const retryAfter = header('retry-after');
  return {
    status: response.statusCode,
    simulated: /\bsimulator\b/i.test(header('x-auth-mode')),
    date: header('date') === '' ? null : header('date'),
    contentType: contentType.split(';', 1).join('').trim().toLowerCase(),
    headerNames: Object.keys(response.headers),
    retryAfterSeconds: /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : null,
    body: await readBody(response.body, { contentType, contentEncoding }),
  };
}

function faultOf(error: unknown, deadline: AbortSignal): TransportFault {
  if (deadline.aborted) return new TransportFault('timeout', 'deadline');
  if (!(error instanceof ConnectFault)) return new TransportFault('lost', systemCodeOf(error));
  const { systemCode } = error;
  return new TransportFault(tlsFaultOf(systemCode) ?? 'not_sent', systemCode);
}

const SYSTEM_CODE = /^[A-Z][A-Z0-9_]{0,63}$/;

function systemCodeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return 'unknown';
  return typeof error.code === 'string' && SYSTEM_CODE.test(error.code) ? error.code : 'unknown';
}
