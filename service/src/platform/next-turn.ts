import { setImmediate as atEnd } from 'node:timers';
import { setImmediate } from 'node:timers/promises';

/** Resolves in the next turn of the event loop, after what has come in on all connections. */
export function nextTurn(): Promise<void> {
  return setImmediate();
}

/** Calls `work` at the end of this turn of the event loop, after what has come in on all connections. */
export function atEndOfTurn(work: () => void): void {
  atEnd(work);
}
