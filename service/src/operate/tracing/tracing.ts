import type { Logger } from 'pino';
import { SpanTracer } from './tracer.ts';
import { SpanExporter, type SpanExporterOptions } from './span-exporter.ts';
import { systemTimer } from '../../platform/runtime.ts';
import type { Random } from '../../platform/runtime.port.ts';
import type { Tracer } from './tracer.port.ts';

export interface TracingOptions extends Pick<SpanExporterOptions, 'url' | 'resource'> {
  readonly ratio: number;
  readonly random: Random;
  readonly logger: Logger;
}

/** Loaded only where OTEL_EXPORTER_OTLP_ENDPOINT is set. */
export function openTracer({ url, resource, ratio, random, logger }: TracingOptions): Tracer {
  const onLost = (reason: string) => logger.warn({ reason }, 'traces are lost');
  const exporter = new SpanExporter({ url, resource, timer: systemTimer, onLost });
  return new SpanTracer({ exporter, random, ratio });
}
