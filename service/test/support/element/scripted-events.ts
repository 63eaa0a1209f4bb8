import type { ServerResponse } from 'node:http';
import type { Route } from './page-server.ts';

export const OF_EVENTS = { 'content-type': 'text/event-stream' };

/** A back end whose answers the test decides, in place of one that relays events. */
export class ScriptedEvents {
  readonly #open = new Set<ServerResponse>();
  /** What answers in place of a stream. */
  instead: Route | null = null;
  /** The clock of the server. */
  now: () => number = Date.now;
  /** Whether a stream begins with the status, as it should. */
  tellsAtOnce = true;

  readonly route: Route = (request, response) => {
    if (this.instead !== null) return this.instead(request, response);
    response.writeHead(200, { ...OF_EVENTS, date: new Date(this.now()).toUTCString() });
    response.flushHeaders();
    if (this.tellsAtOnce) response.write(statusEvent({ status: 'pending' }));
    this.#open.add(response);
    response.once('close', () => this.#open.delete(response));
    return undefined;
  };

  /** Streams that a page reads now. */
  get open(): number {
    return this.#open.size;
  }

  /** Tells every page, and leaves its stream open. */
  tell(data: object): void {
    for (const response of this.#open) response.write(statusEvent(data));
  }

  /** Cuts every stream. */
  cut(): void {
    for (const response of this.#open) response.destroy();
  }
}

/** As when nobody listens. */
export const noAnswer: Route = (_, response) => {
  response.destroy();
  return undefined;
};

export function statusEvent(data: object): string {
  return `event: status\ndata: ${JSON.stringify(data)}\n\n`;
}
