/**
 * The numbers of the service by name and help. What moves them is in `meter.ts`, which also has the
 * durations of requests; those of webhooks are in `webhook-numbers.ts`.
 */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { SECOND_MS } from '../../values/time.ts';
import {
  COUNTED,
  type Meter,
  WAIT_ENDS,
  WAIT_KINDS,
  type WaitEnd,
  type WaitKind,
} from './meter.port.ts';

/** In seconds. A call to the provider ends after 5. */
const CALL_BOUNDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** In seconds. A flush takes a fraction of a millisecond to some tens of them; a call gives up at 5. */
const COMMIT_TIME_BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
/** The store writes at most 256 units in one transaction. */
const COMMIT_BOUNDS = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** What makes the numbers of a registry. */
function makersOf(registry: Registry) {
  const registers = [registry];
  return {
    counter: (name: string, help: string, ...labelNames: string[]) =>
      new Counter({ name, help, labelNames, registers }),
    gauge: (name: string, help: string, ...labelNames: string[]) =>
      new Gauge({ name, help, labelNames, registers }),
    histogram: (name: string, help: string, buckets: number[], ...labelNames: string[]) =>
      new Histogram({ name, help, buckets, labelNames, registers }),
  };
}

const SIGN_IN_LABELS = ['mode', 'flow', 'step', 'reason'];

/** The numbers of sign-ins and of calls to the provider. */
export function createNumbers(registry: Registry) {
  const { counter, gauge, histogram } = makersOf(registry);
  const counted = Object.entries(COUNTED).map(
    ([name, help]) => [name, counter(name, help)] as const,
  );
  return {
    counted: new Map<string, Counter>(counted),
    info: gauge('miftah_build_info', 'Always 1', 'mode', 'version'),
    signIns: counter('miftah_sign_ins_total', 'Steps of sign-ins', ...SIGN_IN_LABELS),
    limitsHit: counter('miftah_limits_hit_total', 'What a limit has refused', 'limit'),
    ready: gauge('miftah_ready', '1 while /readyz says ready'),
    storeReady: gauge('miftah_store_ready', '1 while the store accepts writes'),
    ahead: gauge('miftah_clock_ahead_seconds', 'How far our clock is ahead of the machine'),
    calls: counter(
      'miftah_provider_calls_total',
      'Tries of calls to the provider',
      'operation',
      'outcome',
    ),
    callTimes: histogram(
      'miftah_provider_call_duration_seconds',
      'Duration of tries of calls to the provider',
      CALL_BOUNDS,
      'operation',
    ),
    tokensRefused: counter(
      'miftah_provider_tokens_refused_total',
      'Tokens of the provider that were refused, by the check that failed',
      'check',
      'signed',
    ),
    lastSuccess: gauge(
      'miftah_last_success_timestamp_seconds',
      'When a task of the operator has last gone well, in seconds since 1970; 0: never',
      'task',
    ),
    breaker: gauge(
      'miftah_provider_breaker_open',
      '1 while calls are refused because the provider has an outage',
      'operation',
    ),
  };
}

/** The numbers of the store. Those of connections stay 0 where the store is a file. */
export function createStoreNumbers(registry: Registry) {
  const { counter, gauge, histogram } = makersOf(registry);
  return {
    commits: histogram(
      'miftah_store_commit_units',
      'Writes that shared one transaction of the store',
      COMMIT_BOUNDS,
    ),
    commitTimes: histogram(
      'miftah_store_commit_duration_seconds',
      'Duration of transactions of the store, with their flush to the disk',
      COMMIT_TIME_BOUNDS,
    ),
    connections: gauge(
      'miftah_store_connections',
      'Open connections to the database server',
      'state',
    ),
    waiting: gauge(
      'miftah_store_waiting',
      'Operations that wait for a connection to the database server',
    ),
    reconnects: counter(
      'miftah_store_reconnects_total',
      'How often the service came back after it had lost all connections',
    ),
  };
}

/** The numbers of those who wait for the end of an attempt. */
export function createWaitNumbers(registry: Registry) {
  const { counter, gauge } = makersOf(registry);
  const open = gauge(
    'miftah_waiters',
    'Event streams, long polls and pings that wait at the moment',
    'kind',
  );
  const ended = counter(
    'miftah_waits_ended_total',
    'Event streams, long polls and pings that are over',
    'kind',
    'reason',
  );
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

/** Without AUDIT_CURSOR_FILE it has no value: a 0 would say that all is well. */
export function createStreamNumber(registry: Registry): Meter['auditStreamBehind'] {
  const gauge = makersOf(registry).gauge(
    'miftah_audit_stream_behind_seconds',
    'Age of the oldest row of the audit log that the reader of AUDIT_CURSOR_FILE has not taken',
  );
  gauge.remove();
  return (age) => gauge.set(age / SECOND_MS);
}
