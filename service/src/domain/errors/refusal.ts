import type { ErrorCode } from './catalogue.ts';

/** One thing that is wrong with one member of a request. */
export interface FieldFault {
  /** The member's name, a header's name, or `body` for the whole of it. */
  readonly field: string;
  /** RFC 6901 pointer into the body, or '' for the body itself and for headers. */
  readonly pointer: string;
  readonly rule: FieldRule;
}

export const FIELD_RULES = [
  'required',
  'type',
  'format',
  'unknown',
  'too_long',
  'too_short',
  'not_listed',
  'object',
] as const;
export type FieldRule = (typeof FIELD_RULES)[number];

export interface RefusalDetails {
  /** Whole seconds after which the same request may succeed. */
  readonly retryAfterSeconds?: number;
  /** Only with `validation.failed`. */
  readonly faults?: readonly FieldFault[];
  /** Only with `rate_limited`: the names of the policies that were exceeded. */
  readonly violatedPolicies?: readonly string[];
  /** The methods that the path does know. */
  readonly allow?: readonly string[];
  /** The identity provider's number of the failed call, for its support. */
  readonly reference?: number;
  /** Nothing was sent: the identity provider knows nothing of it. */
  readonly isUnsent?: true;
  /** In words of our own, for the log: nothing that anybody has sent is in them. */
  readonly reason?: string;
  /** What went wrong. Of it the log shows only where: its message may quote what was sent. */
  readonly cause?: unknown;
}

/** The one way to say no. The code decides status and wording; `http/` turns it into an answer. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly details: RefusalDetails;

  constructor(code: ErrorCode, details: RefusalDetails = {}) {
    super(code, { cause: details.cause });
    this.name = 'Refusal';
    this.code = code;
    this.details = details;
  }
}
