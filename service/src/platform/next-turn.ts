import { setImmediate } from 'node:timers/promises';

/** Resolves in the next turn of the event loop, after what has come in on all connections. */
export function nextTurn(): Promise<void> {
  return setImmediate();
}
