import { setImmediate as atEnd } from 'node:timers';
import { setImmediate } from 'node:timers/promises';

let latest: Promise<void> = Promise.resolve();

/**
 * Resolves in a later turn of the event loop, after everything that has arrived by then on all
 * connections. Of several callers one goes on in each turn, in their order: Node accepts one
 * connection in a turn, so a turn in which all of them work makes every new connection wait.
 */
export function nextTurn(): Promise<void> {
  latest = latest.then(() => setImmediate());
  return latest;
}

/**
 * Calls `work` at the end of this turn of the event loop, after everything that arrived in it on
 * all connections.
 */
export function atEndOfTurn(work: () => void): void {
  atEnd(work);
}
