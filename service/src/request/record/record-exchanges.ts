import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { AttemptRecord } from '../../attempt/attempt.ts';
import { scopeOf } from '../../attempt/scenario.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import type { Clock } from '../../platform/runtime.port.ts';
import type { Ms } from '../../values/time.ts';
import { textMember } from '../body/text-member.ts';
import { callerOf } from '../caller/caller.ts';
import type { HttpContext } from '../context.ts';
import type { ExchangeRecorder, Headers } from './exchange-recorder.port.ts';

/**
 * The member of a request that names its attempt; `handler` where only the handler knows it, and
 * `ties` where ids of an OpenID sign-in lead to it, of which a member `uid` of the address is one.
 */
export type AttemptPlace = readonly ['params' | 'query' | 'body', string] | 'handler' | 'ties';

interface RecordedRoute {
  /** The operation of the attempt API, or what the browser did. */
  readonly name: string;
  readonly attemptIn: AttemptPlace;
}

interface Parts {
  readonly recorder: ExchangeRecorder;
  readonly route: RecordedRoute;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly at: Ms;
}

/**
 * A request until it is recorded: when its answer is known, and was sent or its client has left.
 */
class OpenExchange {
  readonly #parts: Parts;
  #name: string;
  /** The attempt that only the handler knows. */
  #attemptId = '';
  #ties: readonly string[] = [];
  /** What the framework has not read. */
  #asked: unknown = null;
  readonly #begun: number;
  /** The text of the answer, or the events of a stream so far. */
  #body: string | null = null;
  #state: 'open' | 'answered' | 'streaming' | 'recorded' = 'open';
  #code: ErrorCode | null = null;
  #isSent = false;
  #isClosed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#name = parts.route.name;
    this.#begun = parts.recorder.turn();
    parts.reply.raw.once('close', () => this.#close());
    if (parts.route.attemptIn !== 'ties') return;
    this.#ties = [textMember(parts.request.params, 'uid')];
    unread.set(parts.request.raw, this);
  }

  isOf(attemptId: string, name = this.#name): void {
    this.#attemptId = attemptId;
    this.#name = name;
  }

  /** What the OpenID library has read and answered in the place of the framework. */
  readElsewhere({ asked, told, ties }: ReadElsewhere): void {
    this.#asked = asked;
    this.#ties = [...this.#ties, ...ties];
    this.answer(told);
  }

  /** The answer is an error. */
  refuse(code: ErrorCode): void {
    this.#code = code;
  }

  /** @param body null for an answer that is not kept: of an error it has the code */
  answer(body: string | null): void {
    if (this.#state !== 'open') return;
    this.#state = 'answered';
    this.#body = body ?? (this.#code === null ? null : JSON.stringify({ code: this.#code }));
    // The client has left before.
    if (this.#isClosed) this.#record();
  }

  stream(): void {
    this.#state = 'streaming';
  }

  streamed(text: string): void {
    this.#body = (this.#body ?? '') + text;
  }

  sent(): void {
    this.#isSent = true;
  }

  #close(): void {
    this.#isClosed = true;
    if (this.#state !== 'open') this.#record();
  }

  #record(): void {
    const { recorder, route, request, reply, at } = this.#parts;
    // The client of a stream may leave at any time: it has got its answer, and events.
    const isSent = this.#isSent || this.#state === 'streaming';
    this.#state = 'recorded';
    recorder.record({
      attemptId: this.#attemptId || attemptOf(route, request),
      ties: this.#ties.filter((tie) => tie !== ''),
      name: this.#name,
      at,
      begun: this.#begun,
      method: request.method,
      path: request.originalUrl,
      status: isSent ? reply.statusCode : null,
      durationMs: Math.round(reply.elapsedTime),
      request: { headers: request.headers, body: request.body ?? this.#asked },
      response: { headers: headersOf(reply, recorder.answerHeaders), body: this.#body },
    });
  }
}

interface ReadElsewhere {
  readonly asked: unknown;
  /** Null for a page. */
  readonly told: string | null;
  readonly ties: readonly string[];
}

/** Of requests that the OpenID library answers, which knows nothing of the framework. */
const unread = new WeakMap<IncomingMessage, OpenExchange>();

export const exchangeOf = (request: IncomingMessage): OpenExchange | null =>
  unread.get(request) ?? null;

function attemptOf({ attemptIn }: RecordedRoute, request: FastifyRequest): string {
  if (attemptIn === 'handler' || attemptIn === 'ties') return '';
  const [part, member] = attemptIn;
  return textMember(request[part], member);
}

function headersOf(reply: FastifyReply, wanted: readonly string[]): Headers {
  const found: Record<string, Headers[string]> = {};
  for (const name of wanted) {
    const value = reply.getHeader(name);
    if (value !== undefined) found[name] = value;
  }
  return found;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of a route about one attempt: where its requests name it. Their exchanges are recorded. */
    attemptIn?: AttemptPlace;
    /** What such an exchange is called, where that is not the operation of the route's schema. */
    recordedAs?: string;
  }
  interface FastifyReply {
    /** Only where exchanges are recorded, and only for routes about an attempt. */
    exchange?: OpenExchange | null;
  }
}

/**
 * Records the exchanges about attempts. Only their own routes get hooks. Must be called before the
 * routes are added.
 */
export function recordExchanges(app: FastifyInstance, recorder: ExchangeRecorder, clock: Clock) {
  app.decorateReply('exchange', null);
  app.addHook('onRoute', (options: RouteOptions) => {
    const { method, config, schema } = options;
    const { attemptIn, recordedAs = schema?.operationId ?? '' } = config ?? {};
    if (attemptIn === undefined || method === 'HEAD') return;
    addHooks(options, (request, reply) => {
      const route = { name: recordedAs, attemptIn };
      const parts = { recorder, route, request, reply, at: clock.now() };
      return (reply.exchange = new OpenExchange(parts));
    });
  });
}

function addHooks(
  options: RouteOptions,
  open: (request: FastifyRequest, reply: FastifyReply) => OpenExchange,
): void {
  // A page may have secrets in its forms, and it is long.
  const isPage = options.config?.page === true;
  const { onRequest = [], onSend = [], onResponse = [] } = options;
  options.onRequest = [
    (request, reply, done) => {
      open(request, reply);
      done();
    },
    ...[onRequest].flat(),
  ];
  options.onSend = [
    ...[onSend].flat(),
    (request, reply, payload, done) => {
      // A check of all routes, which comes first, may have refused the request.
      const exchange = reply.exchange ?? open(request, reply);
      exchange.answer(typeof payload === 'string' && !isPage ? payload : null);
      done(null, payload);
    },
  ];
  options.onResponse = [
    ...[onResponse].flat(),
    (_request, reply, done) => {
      reply.exchange?.sent();
      done();
    },
  ];
}

/** The attempt of this request, which only its handler knows, and what the exchange is then called. */
export function nameAttempt(reply: FastifyReply, attemptId: string, name?: string): void {
  reply.exchange?.isOf(attemptId, name);
}

/** An attempt has begun by this request. */
export function recordStart(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  record: Pick<AttemptRecord, 'attemptId' | 'scenario'>,
): void {
  if (context.recorder === null) return;
  const { attemptId } = record;
  nameAttempt(reply, attemptId);
  const scope = scopeOf(record);
  // A back end that names no address stands for the device of its person.
  const address = callerOf(context, request).endUserAddress ?? context.addresses.of(request);
  context.recorder.begin({ attemptId, scope, address });
}
