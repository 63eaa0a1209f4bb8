import type { Server } from 'node:net';

/**
 * How many turns of the event loop work may wait for connections. The queue of a listening socket
 * holds 511, so a health check on a new connection waits for 32 groups of requests at most.
 */
export const MOST_TURNS = 16;

type AtEndOfTurn = (work: () => void) => void;

/**
 * Lets several connections be accepted before work is done.
 *
 * Node accepts one connection in a turn of the event loop. If each turn also handled a group of
 * requests, a client that opens a connection while many others do would wait for as many groups.
 */
export class AcceptFirst {
  readonly #atEndOfTurn: AtEndOfTurn;
  /** Since the last time that work was about to be done. */
  #hasAccepted = false;
  /** All that waits is done at the same time. */
  #works: (() => void)[] = [];

  constructor(atEndOfTurn: AtEndOfTurn) {
    this.#atEndOfTurn = atEndOfTurn;
  }

  watch(server: Server): void {
    server.on('connection', () => {
      this.#hasAccepted = true;
    });
  }

  /** Calls `work` at the end of the first turn in which no connection was accepted. */
  readonly atEndOfTurn: AtEndOfTurn = (work) => {
    this.#works.push(work);
    if (this.#works.length === 1) this.#wait(MOST_TURNS);
  };

  #wait(turns: number): void {
    this.#atEndOfTurn(() => {
      const isLast = turns === 1 || !this.#hasAccepted;
      this.#hasAccepted = false;
      if (isLast) for (const work of this.#works.splice(0)) work();
      else this.#wait(turns - 1);
    });
  }
}
