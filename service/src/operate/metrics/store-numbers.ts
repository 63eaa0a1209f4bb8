import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { SECOND_MS } from '../../values/time.ts';
import type { StoreConnections } from './meter.port.ts';
import { monotonicMs } from '../../platform/clock.ts';

/** In seconds. A flush takes a fraction of a millisecond to some tens of them; a call gives up at 5. */
const COMMIT_TIME_BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
/** The store writes at most 256 units in one transaction. */
const COMMIT_BOUNDS = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** The numbers of the store. Those of connections stay 0 where the store is a file. */
export function createStoreNumbers(registry: Registry) {
  const registers = [registry];
  return {
    commits: new Histogram({
      name: 'miftah_store_commit_units',
      help: 'Writes that shared one transaction of the store',
      buckets: COMMIT_BOUNDS,
      registers,
    }),
    commitTimes: new Histogram({
      name: 'miftah_store_commit_duration_seconds',
      help: 'Duration of transactions of the store, with their flush to the disk',
      buckets: COMMIT_TIME_BOUNDS,
      registers,
    }),
    connections: new Gauge({
      name: 'miftah_store_connections',
      help: 'Open connections to the database server',
      labelNames: ['state'],
      registers,
    }),
    waiting: new Gauge({
      name: 'miftah_store_waiting',
      help: 'Operations that wait for a connection to the database server',
      registers,
    }),
    reconnects: new Counter({
      name: 'miftah_store_reconnects_total',
      help: 'How often the service came back after it had lost all connections',
      registers,
    }),
  };
}

/** @returns to be called at the commit, with the number of writes that shared the transaction */
export function beginCommit({
  commits,
  commitTimes,
}: ReturnType<typeof createStoreNumbers>): (units: number) => void {
  const begunAt = monotonicMs();
  return (units) => {
    commits.observe(units);
    commitTimes.observe((monotonicMs() - begunAt) / SECOND_MS);
  };
}

/** Only when the numbers are read, because connections change with every operation. */
export function showConnections(
  numbers: ReturnType<typeof createStoreNumbers>,
  { open, inUse, waiting, reconnects }: StoreConnections,
): void {
  numbers.connections.set({ state: 'in_use' }, inUse);
  numbers.connections.set({ state: 'idle' }, open - inUse);
  numbers.waiting.set(waiting);
  numbers.reconnects.reset();
  numbers.reconnects.inc(reconnects);
}
