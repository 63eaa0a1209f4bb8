import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import {
  COUNTED,
  type StoreConnections,
  WAIT_ENDS,
  WAIT_KINDS,
  type WaitEnd,
  type WaitKind,
} from './meter.port.ts';
import { monotonicMs } from '../../platform/runtime.ts';
import type { Mode } from '../../values/mode.ts';
import { SECOND_MS } from '../../values/time.ts';

/** In seconds. A call to the provider ends after 5. */
const CALL_BOUNDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export interface Build {
  readonly mode: Mode;
  readonly version: string;
}

type Make<Metric> = (name: string, help: string, labelNames?: readonly string[]) => Metric;

/** The numbers of the service, but for the durations of requests (meter.ts). */
export function createNumbers(registry: Registry, { mode, version }: Build) {
  const registers = [registry];
  const counter: Make<Counter> = (name, help, labelNames = []) =>
    new Counter({ name, help, labelNames: [...labelNames], registers });
  const gauge: Make<Gauge> = (name, help, labelNames = []) =>
    new Gauge({ name, help, labelNames: [...labelNames], registers });
  const counted = Object.entries(COUNTED).map(
    ([name, help]) => [name, counter(name, help)] as const,
  );
  const info = gauge('miftah_build_info', 'Always 1', ['mode', 'version']);
  info.set({ mode, version }, 1);
  return {
    counted: new Map<string, Counter>(counted),
    signIns: counter('miftah_sign_ins_total', 'Steps of sign-ins', SIGN_IN_LABELS),
    limitsHit: counter('miftah_limits_hit_total', 'What a limit has refused', ['limit']),
    ready: gauge('miftah_ready', '1 while /readyz says ready'),
    storeReady: gauge('miftah_store_ready', '1 while the store accepts writes'),
    ahead: gauge('miftah_clock_ahead_seconds', 'How far our clock is ahead of the machine'),
  };
}

/** The numbers of those who wait for the end of an attempt. */
export function createWaitNumbers(registry: Registry) {
  const registers = [registry];
  const open = new Gauge({
    name: 'miftah_waiters',
    help: 'Event streams and long polls that wait at the moment',
    labelNames: ['kind'],
    registers,
  });
  const ended = new Counter({
    name: 'miftah_waits_ended_total',
    help: 'Event streams and long polls that are over',
    labelNames: ['kind', 'reason'],
    registers,
  });
  for (const kind of WAIT_KINDS) {
    open.set({ kind }, 0);
    for (const reason of WAIT_ENDS) ended.inc({ kind, reason }, 0);
  }
  return (kind: WaitKind) => {
    open.inc({ kind });
    return (reason: WaitEnd) => {
      open.dec({ kind });
      ended.inc({ kind, reason });
    };
  };
}

const SIGN_IN_LABELS = ['mode', 'flow', 'step', 'reason'];

/** The numbers of the calls to the provider. */
export function createCallNumbers(registry: Registry) {
  const registers = [registry];
  return {
    calls: new Counter({
      name: 'miftah_provider_calls_total',
      help: 'Tries of calls to the provider',
      labelNames: ['operation', 'outcome'],
      registers,
    }),
    callTimes: new Histogram({
      name: 'miftah_provider_call_duration_seconds',
      help: 'Duration of tries of calls to the provider',
      labelNames: ['operation'],
      buckets: CALL_BOUNDS,
      registers,
    }),
    tokensRefused: new Counter({
      name: 'miftah_provider_tokens_refused_total',
      help: 'Tokens of the provider that were refused, by the check that failed',
      labelNames: ['check', 'signed'],
      registers,
    }),
    breaker: new Gauge({
      name: 'miftah_provider_breaker_open',
      help: '1 while calls are refused because the provider has an outage',
      labelNames: ['operation'],
      registers,
    }),
  };
}

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
