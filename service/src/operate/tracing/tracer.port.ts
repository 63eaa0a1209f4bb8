import type { ProviderCall } from '../../attempt/provider-call.ts';

/**
 * What a span may say. The values are patterns, names and codes of this program: none comes from a
 * caller, and none names a person, an attempt, an application or an address.
 */
export interface SpanAttributes {
  readonly 'http.request.method'?: string;
  readonly 'http.route'?: string;
  readonly 'http.response.status_code'?: number;
  /** The id that the answer has, and the lines of the log about the request. */
  readonly 'miftah.request.id'?: string;
  readonly 'db.operation.name'?: string;
  readonly 'miftah.provider.operation'?: string;
  /** An error code of the catalogue, or `unexpected`. */
  readonly 'error.type'?: string;
}

export interface EndedRequest {
  readonly id: string;
  readonly method: string;
  /** The pattern of the route. */
  readonly route: string;
  /** Null when the client has left before anything was sent. */
  readonly status: number | null;
}

/** The span of one request. */
export interface RequestSpan {
  /** For the lines of the log about the request; null when the trace is not sent. */
  readonly traceId: string | null;
  /** Does `work`. What it starts is measured below this span. */
  run(work: () => void): void;
  end(request: EndedRequest): void;
}

/** One try of a call to the provider, when it has ended. */
export type TracedCall = Pick<ProviderCall, 'operation' | 'status' | 'refusal' | 'durationMs'>;

/** Spans of OpenTelemetry: what a request consists of, and how long each part took. */
export interface Tracer {
  /** @param parent a `traceparent` header (W3C Trace Context) of a caller that is believed */
  beginRequest(parent: string | undefined): RequestSpan;
  /** Measures an operation of the store below the current span. Without one it is only done. */
  storeCall<Result>(operation: string, work: () => Promise<Result>): Promise<Result>;
  /** A span below the current one. */
  providerCall(call: TracedCall): void;
  /** Sends what is left, for some seconds at most. */
  close(): Promise<void>;
}
