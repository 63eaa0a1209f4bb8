import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { SECOND_MS } from '../../values/time.ts';
import type { Timer } from '../../platform/runtime.port.ts';

/** So that proxies and clients see that the connection lives. */
const HEARTBEAT_MS = 15 * SECOND_MS;
/** What a client waits before it connects again. */
const RETRY_MS = 2 * SECOND_MS;

/** An answer of server-sent events. */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #exchange: FastifyReply['exchange'];
  readonly #timer: Timer;
  #cancelHeartbeat: () => void = () => undefined;

  /** Sends the headers that the reply has so far. */
  constructor(reply: FastifyReply, timer: Timer) {
    reply.hijack();
    this.#response = reply.raw;
    this.#exchange = reply.exchange;
    this.#exchange?.stream();
    this.#timer = timer;
    this.#response.writeHead(200, {
      ...definedHeaders(reply),
      'content-type': 'text/event-stream; charset=utf-8',
      // For nginx, which would otherwise keep events until they fill its buffer.
      'x-accel-buffering': 'no',
    });
    // Written alone, the headers are one flat text: as the beginning of a longer one they would stay
    // in memory as the forty pieces that they were made of. `cork` sends both together.
    this.#response.cork();
    this.#response.flushHeaders();
    this.#response.write(`retry: ${RETRY_MS}\n\n`);
    this.#response.uncork();
    this.#beatLater();
  }

  send(event: string, id: string, data: object): void {
    const text = `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
    this.#response.write(text);
    this.#exchange?.streamed(text);
  }

  end(): void {
    this.#cancelHeartbeat();
    this.#response.end();
  }

  #beatLater(): void {
    this.#cancelHeartbeat = this.#timer.after(HEARTBEAT_MS, () => {
      // A client that does not read gets nothing more; its connection ends by itself.
      if (!this.#response.writableNeedDrain) this.#response.write(':\n\n');
      this.#beatLater();
    });
  }
}

function definedHeaders(reply: FastifyReply) {
  const entries = Object.entries(reply.getHeaders());
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
