import { setImmediate as atEnd } from 'node:timers';
import { setImmediate } from 'node:timers/promises';

/**
 * Resolves in the next turn of the event loop, after everything that has arrived by then on all
 * connections.
 */
export function nextTurn(): Promise<void> {
  return setImmediate();
}

/**
 * Calls `work` at the end of this turn of the event loop, after everything that arrived in it on
 * all connections.
 */
export function atEndOfTurn(work: () => void): void {
  atEnd(work);
}
