/** What a reserved identity can do: on the phone, in an answer, or to the signed result. */
import type { RecordName } from '../error-records.ts';
import type { Ms } from '../ports.ts';

export const REJECTION_REASONS = ['refused', 'not_me', 'wrong_number'] as const;
export type RejectionReason = (typeof REJECTION_REASONS)[number];

/** What the person does with the phone, and when. */
export interface PhoneEffect {
  readonly on: 'phone';
  readonly end: 'approved' | RejectionReason | 'nothing';
  /** Milliseconds after the prompt was created, or before it expires. */
  readonly delay: { readonly after: Ms } | { readonly beforeExpiry: Ms };
}

/** The data of each kind of fault in the answer to a request. `push.ts` says what each does. */
interface AnswerFaults {
  record: { readonly record: RecordName };
  gateway: { readonly status: number; readonly text: string };
  outage: {
    readonly status: number;
    readonly mediaType: 'text/html' | 'text/plain';
    readonly body: string;
  };
  malformed: object;
  cut: object;
  timeout: { readonly afterMs: Ms };
}

export type AnswerFaultKind = keyof AnswerFaults;

/** A fault in the answer to the request. */
export type AnswerFault<Kind extends AnswerFaultKind = AnswerFaultKind> = {
  [One in Kind]: { readonly kind: One } & AnswerFaults[One];
}[Kind];

export interface AnswerEffect {
  readonly on: 'answer';
  readonly fault: AnswerFault;
}

/** How often and when the signed result of a push is sent to the relying party. */
export type Delivery = 'once' | 'twice' | 'before_reply' | 'never' | 'late';

/** Why a careful relying party has to refuse the signed result. */
export type TokenFlaw = 'unknown_key' | 'wrong_audience' | 'expired' | 'other_person' | 'alg_none';

/** The person approves at once, but the signed result is delivered or made in an unusual way. */
export interface ResultEffect {
  readonly on: 'result';
  readonly delivery: Delivery;
  readonly flaw: TokenFlaw | null;
}
