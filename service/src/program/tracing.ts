import type { Logger } from 'pino';
import { SpanTracer } from '../platform/tracing/tracer.ts';
import { SpanExporter, type SpanExporterOptions } from '../platform/tracing/span-exporter.ts';
import { systemTimer } from '../platform/timer.ts';
import type { Random } from '../ports/runtime.ts';
import type { Store } from '../ports/store/index.ts';
import type { Tracer } from '../ports/tracer.ts';
import { aroundOperations } from './around-operations.ts';

export interface TracingOptions extends Pick<SpanExporterOptions, 'url' | 'resource'> {
  readonly ratio: number;
  readonly random: Random;
  readonly logger: Logger;
}

export interface Tracing {
  readonly tracer: Tracer;
  /** The same store. Each operation in a request is measured. */
  readonly measured: (store: Store) => Store;
}

/** Loaded only where OTEL_EXPORTER_OTLP_ENDPOINT is set. */
export function openTracing({ url, resource, ratio, random, logger }: TracingOptions): Tracing {
  const onLost = (reason: string) => logger.warn({ reason }, 'traces are lost');
  const exporter = new SpanExporter({ url, resource, timer: systemTimer, onLost });
  const tracer = new SpanTracer({ exporter, random, ratio });
  return {
    tracer,
    measured: (store) => aroundOperations(store, (name, run) => tracer.storeCall(name, run)),
  };
}
