import { AsyncLocalStorage } from 'node:async_hooks';
import { Refusal } from '../../errors/refusal.ts';
import type { Random } from '../../platform/runtime.port.ts';
import type { EndedRequest, RequestSpan, TracedCall, Tracer } from './tracer.port.ts';
import type { FinishedSpan } from './otlp.ts';
import type { SpanExporter } from './span-exporter.ts';
import { parseTraceParent, type TraceParent } from './trace-parent.ts';
import { monotonicMs } from '../../platform/runtime.ts';

export interface TracerOptions {
  readonly exporter: Pick<SpanExporter, 'add' | 'close'>;
  readonly random: Random;
  /** The share of the traces that begin here and are sent, 0 to 1. */
  readonly ratio: number;
}

const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;
const SERVER_ERROR = 500;
/** As many hex digits of a trace id as decide whether it is sent. */
const RATIO_DIGITS = 8;

type SpanBelow = Omit<FinishedSpan, 'traceId' | 'spanId' | 'parentSpanId' | 'endedAt'>;

/** Keeps the current span with the asynchronous work that it has started. */
export class SpanTracer implements Tracer {
  readonly #current = new AsyncLocalStorage<TraceParent>();
  readonly #exporter: TracerOptions['exporter'];
  readonly #random: Random;
  readonly #ratio: number;

  constructor({ exporter, random, ratio }: TracerOptions) {
    this.#exporter = exporter;
    this.#random = random;
    this.#ratio = ratio;
  }

  beginRequest(header: string | undefined): RequestSpan {
    const parent = parseTraceParent(header);
    const { traceId, isSampled } = parent ?? this.#beginTrace();
    const spanId = this.#newId(SPAN_ID_BYTES);
    const own = { traceId, isSampled, spanId };
    const parentSpanId = parent?.spanId ?? null;
    const startedAt = nowMs();
    return {
      traceId: isSampled ? traceId : null,
      run: (work) => this.#current.run(own, work),
      end: (request) => {
        if (!isSampled) return;
        const ended = { traceId, spanId, parentSpanId, startedAt, endedAt: nowMs() };
        this.#exporter.add({ ...ended, ...describeRequest(request) });
      },
    };
  }

  async storeCall<Result>(operation: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#current.getStore()?.isSampled !== true) return work();
    const startedAt = nowMs();
    const attributes = { 'db.operation.name': operation };
    const span = { name: `store ${operation}`, kind: 'internal', startedAt } as const;
    try {
      const result = await work();
      this.#addBelow({ ...span, attributes, isError: false });
      return result;
    } catch (error) {
      const failed = { ...attributes, 'error.type': typeOf(error) };
      this.#addBelow({ ...span, attributes: failed, isError: true });
      throw error;
    }
  }

  providerCall(call: TracedCall): void {
    this.#addBelow(describeCall(call));
  }

  close(): Promise<void> {
    return this.#exporter.close();
  }

  #beginTrace(): Pick<TraceParent, 'traceId' | 'isSampled'> {
    const traceId = this.#newId(TRACE_ID_BYTES);
    const share = Number.parseInt(traceId.slice(0, RATIO_DIGITS), 16) / 16 ** RATIO_DIGITS;
    return { traceId, isSampled: share < this.#ratio };
  }

  #addBelow(span: SpanBelow): void {
    const parent = this.#current.getStore();
    if (parent?.isSampled !== true) return;
    const { traceId, spanId: parentSpanId } = parent;
    const ended = { traceId, spanId: this.#newId(SPAN_ID_BYTES), parentSpanId, endedAt: nowMs() };
    this.#exporter.add({ ...span, ...ended });
  }

  #newId(bytes: number): string {
    return Buffer.from(this.#random.bytes(bytes)).toString('hex');
  }
}

function describeRequest({ id, method, route, status }: EndedRequest) {
  return {
    name: `${method} ${route}`,
    kind: 'server',
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'miftah.request.id': id,
      ...(status === null ? {} : { 'http.response.status_code': status }),
    },
    isError: (status ?? 0) >= SERVER_ERROR,
  } as const;
}

function describeCall({ operation, status, refusal, durationMs }: TracedCall) {
  return {
    name: `provider ${operation}`,
    kind: 'client',
    startedAt: nowMs() - durationMs,
    attributes: {
      'miftah.provider.operation': operation,
      ...(status === null ? {} : { 'http.response.status_code': status }),
      ...(refusal === null ? {} : { 'error.type': refusal }),
    },
    isError: refusal !== null,
  } as const;
}

/** Only a code: a message may quote what somebody has sent. */
function typeOf(error: unknown): string {
  return error instanceof Refusal ? error.code : 'unexpected';
}

/** Of the monotonic clock, so that no span ends before it began. */
function nowMs(): number {
  return performance.timeOrigin + monotonicMs();
}
