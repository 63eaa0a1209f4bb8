import type { Logger } from 'pino';
import { SpanTracer } from '../platform/tracing/tracer.ts';
import { SpanExporter, type SpanExporterOptions } from '../platform/tracing/span-exporter.ts';
import { systemTimer } from '../platform/timer.ts';
import type { Random } from '../ports/runtime.ts';
import type { Store } from '../ports/store/index.ts';
import type { Tracer } from '../ports/tracer.ts';

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
  return { tracer, measured: (store) => measure(store, tracer) };
}

/** Not measured: these are no operations on data, and belong to no request. */
const WITHOUT_SPAN: ReadonlySet<keyof Store> = new Set(['health', 'recover', 'close']);

function measure(store: Store, tracer: Tracer): Store {
  return new Proxy(store, {
    get(target, name: keyof Store) {
      const operation: unknown = target[name];
      if (typeof operation !== 'function' || WITHOUT_SPAN.has(name)) return operation;
      return (...values: readonly unknown[]) =>
        tracer.storeCall(name, async () => {
          const result: unknown = await Reflect.apply(operation, target, values);
          return result;
        });
    },
  });
}
