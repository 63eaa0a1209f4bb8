import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Mode } from '../../domain/mode.ts';
import { COUNTED } from '../../ports/meter.ts';

/** In seconds. A call to the provider ends after 5. */
const CALL_BOUNDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** In seconds. A flush takes a fraction of a millisecond to some tens of them. */
const COMMIT_TIME_BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];
/** The store writes at most 256 units in one transaction. */
const COMMIT_BOUNDS = [1, 2, 4, 8, 16, 32, 64, 128, 256];

export interface Build {
  readonly mode: Mode;
  readonly version: string;
}

type Make<Metric> = (name: string, help: string, labelNames?: readonly string[]) => Metric;

/** The numbers of the service, but for the durations of requests (route-times.ts). */
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
    ready: gauge('miftah_ready', '1 while /readyz says ready'),
    storeReady: gauge('miftah_store_ready', '1 while the store accepts writes'),
    ahead: gauge('miftah_clock_ahead_seconds', 'How far our clock is ahead of the machine'),
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
    breaker: new Gauge({
      name: 'miftah_provider_breaker_open',
      help: '1 while calls are refused because the provider has an outage',
      labelNames: ['operation'],
      registers,
    }),
  };
}
