/** Where a span belongs. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** W3C Trace Context, section 3.2: version, trace id, parent id and flags. */
const FORM = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** Null for a header that is malformed: then a new trace begins, as the standard says. */
export function parseTraceParent(header: string | undefined): TraceParent | null {
  const [, traceId, spanId, flags = '', more] = FORM.exec(header ?? '') ?? [];
  if (traceId === undefined || spanId === undefined) return null;
  // Version 00 has no further members.
  if (more !== undefined && header?.startsWith('00') === true) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}
