import type { SpanAttributes } from './tracer.port.ts';

export interface FinishedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Null for the first span of a trace. */
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client';
  /** Milliseconds since 1970, with fractions. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: SpanAttributes;
  readonly isError: boolean;
}

/** What the spans are of: `service.name` and the like. */
export type Resource = Readonly<Record<string, string>>;

/** The numbers of opentelemetry/proto/trace/v1/trace.proto. */
const KINDS = { internal: 1, server: 2, client: 3 } as const;
const STATUS_ERROR = 2;

/**
 * The body of an export request (OTLP 1.x, JSON): ids in hex, times as decimal nanoseconds. Not by
 * OpenTelemetry's SDK, which is ten packages and 20 MB, and takes attributes of any name.
 */
export function encodeSpans(resource: Resource, spans: readonly FinishedSpan[]): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: encodeAttributes(resource) },
        scopeSpans: [{ scope: { name: 'miftah' }, spans: spans.map((span) => encodeSpan(span)) }],
      },
    ],
  });
}

function encodeSpan(span: FinishedSpan) {
  const { traceId, spanId, parentSpanId, name, kind, startedAt, endedAt } = span;
  return {
    traceId,
    spanId,
    ...(parentSpanId === null ? {} : { parentSpanId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanosecondsOf(startedAt),
    endTimeUnixNano: nanosecondsOf(endedAt),
    attributes: encodeAttributes(span.attributes),
    ...(span.isError ? { status: { code: STATUS_ERROR } } : {}),
  };
}

function encodeAttributes(attributes: SpanAttributes | Resource) {
  return Object.entries(attributes).map(([key, value]: [string, string | number]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }));
}

/** Whole microseconds: a number of milliseconds has no more digits today. */
function nanosecondsOf(ms: number): string {
  return `${Math.round(ms * 1000)}000`;
}
