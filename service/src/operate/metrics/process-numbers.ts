import { collectDefaultMetrics, Registry } from 'prom-client';

let registry: Registry | null = null;

/**
 * The library's numbers about this process: CPU time, memory, event loop lag, garbage collection.
 * There is one set for the process, however many services run in it, and it begins with the first
 * reader: a service whose numbers nobody reads does not pay for them.
 */
export function renderProcessNumbers(): Promise<string> {
  if (registry === null) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry.metrics();
}
