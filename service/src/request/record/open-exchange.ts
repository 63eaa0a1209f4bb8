import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode } from '../../errors/catalogue.ts';
import type { Ms } from '../../values/time.ts';
import { textMember } from '../body/text-member.ts';
import type { ExchangeRecorder, Headers } from './exchange-recorder.port.ts';

/** The member of a request that names its attempt; `handler` where only the handler knows it. */
export type AttemptPlace = readonly ['params' | 'query' | 'body', string] | 'handler';

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
export class OpenExchange {
  readonly #parts: Parts;
  #name: string;
  /** The attempt that only the handler knows. */
  #attemptId = '';
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
  }

  isOf(attemptId: string, name = this.#name): void {
    this.#attemptId = attemptId;
    this.#name = name;
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
      name: this.#name,
      at,
      begun: this.#begun,
      method: request.method,
      path: request.originalUrl,
      status: isSent ? reply.statusCode : null,
      durationMs: Math.round(reply.elapsedTime),
      request: { headers: request.headers, body: request.body ?? null },
      response: { headers: headersOf(reply, recorder.answerHeaders), body: this.#body },
    });
  }
}

function attemptOf({ attemptIn }: RecordedRoute, request: FastifyRequest): string {
  if (attemptIn === 'handler') return '';
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
