import { FIELD_RULES, type FieldRule } from '@miftah/contract/errors';
import type { Locale } from '../values/locale.ts';
import type { RefusedToken } from '../attempt/refused-token.ts';
import type { TlsFault } from '../values/transport-fault.ts';
import type { ErrorCode } from './catalogue.ts';
import type { Note } from './notes.ts';

export { FIELD_RULES, type FieldRule };

/** One thing that is wrong with one member of a request. */
export interface FieldFault {
  /** The member's name, a header's name, or `body` for the whole body. */
  readonly field: string;
  /** RFC 6901 pointer into the body, or '' for the body itself and for headers. */
  readonly pointer: string;
  readonly rule: FieldRule;
  /** The field is a member of the query, and the pointer is to it there. */
  readonly isOfQuery?: true;
  /** What is allowed, as the end of the sentence, where the field does not say it. */
  readonly expected?: Readonly<Record<Locale, string>>;
  /** The name or key of ours that was probably meant. */
  readonly near?: string;
}

export interface RefusalDetails {
  /** Whole seconds after which the same request may succeed. */
  readonly retryAfterSeconds?: number;
  /** What is wrong with this request, after the detail of the code. It repeats nothing of it. */
  readonly note?: Note;
  /** Only with `client.unauthenticated`: a key that everybody may know, and that would have done. */
  readonly publishedKey?: string;
  /** Only with `validation.failed`. */
  readonly faults?: readonly FieldFault[];
  /** Only with `rate_limited`: the names of the policies that were exceeded. */
  readonly violatedPolicies?: readonly string[];
  /** Only with `rate_limited`: limits can be turned off here, because nobody is real. */
  readonly canBeOff?: true;
  /** Only with `server.overloaded`: the limit that refuses, where it is not the length of a queue. */
  readonly limit?: string;
  /** The methods that the path supports. */
  readonly allow?: readonly string[];
  /** The identity provider's number of the failed call, for its support. */
  readonly reference?: number;
  /** The request was not sent, so the identity provider did not get it. */
  readonly isUnsent?: true;
  /** The connection to the identity provider could not be secured, and why. No answer has it. */
  readonly tlsFault?: TlsFault;
  /** A token of the provider was refused: what an operator is told of it. No answer has it. */
  readonly refusedToken?: RefusedToken;
  /** A text for the log. It contains nothing that a caller or provider has sent. */
  readonly reason?: string;
  /**
   * The original error. The log shows only its stack frames, because its message may quote what was
   * sent.
   */
  readonly cause?: unknown;
}

/**
 * The error that refuses a request. Its code determines status and text; `reply-error.ts` makes an
 * answer of it.
 */
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
