import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Mode } from '../../values/mode.ts';
import { COUNTED, WAIT_ENDS, WAIT_KINDS, type WaitEnd, type WaitKind } from './meter.port.ts';

/** In seconds. A call to the provider ends after 5. */
const CALL_BOUNDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

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
