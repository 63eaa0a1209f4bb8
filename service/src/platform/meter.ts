import { Counter, Registry } from 'prom-client';
import { COUNTED, type Meter } from '../ports/runtime.ts';

/** Counters in the Prometheus text format. They start at zero with the process, as it expects. */
export function createMeter(): Meter {
  const registry = new Registry();
  const counters = new Map(
    Object.entries(COUNTED).map(([name, help]) => [
      name,
      new Counter({ name, help, registers: [registry] }),
    ]),
  );
  return {
    count: (name) => counters.get(name)?.inc(),
    mediaType: registry.contentType,
    render: () => registry.metrics(),
  };
}
