import type { ErrorCode } from '@miftah/contract/errors';

/** How an attempt ends by an outcome, as an application sees it. */
export type OutcomeEnd =
  /** The start is refused. `outage`: with the time to wait of an outage. */
  | { readonly start: ErrorCode; readonly retryAfter?: 'outage' | 'active' }
  | { readonly status: 'authenticated'; readonly as?: 'nameless' | 'other' | 'lower' }
  | { readonly status: 'rejected' | 'expired' }
  | { readonly status: 'failed'; readonly code: ErrorCode };

const SIGNED_IN: OutcomeEnd = { status: 'authenticated' };
const REJECTED: OutcomeEnd = { status: 'rejected' };
const EXPIRED: OutcomeEnd = { status: 'expired' };
const UNPROVEN: OutcomeEnd = { status: 'failed', code: 'provider.identity_missing' };
const BAD_TOKEN: OutcomeEnd = { status: 'failed', code: 'provider.bad_response' };
const DOWN: OutcomeEnd = { start: 'provider.unavailable', retryAfter: 'outage' };
const TIMEOUT: OutcomeEnd = { start: 'provider.timeout' };

/** Of a push, by the key of the outcome. */
export const PUSH_ENDS: Readonly<Record<string, OutcomeEnd>> = {
  approves_at_once: SIGNED_IN,
  approves_after_3s: SIGNED_IN,
  approves_in_last_second: SIGNED_IN,
  refuses: REJECTED,
  not_me: REJECTED,
  wrong_number: REJECTED,
  never_answers: EXPIRED,
  refuses_named: REJECTED,
  active_transaction: { start: 'push.budget_spent', retryAfter: 'active' },
  unknown_record: { start: 'provider.record_not_found' },
  gateway_refuses: { start: 'provider.misconfigured' },
  provider_error_500: DOWN,
  provider_down_503: DOWN,
  slow_answer: TIMEOUT,
  broken_json: { start: 'provider.bad_response' },
  connection_cut: TIMEOUT,
  callback_twice: SIGNED_IN,
  callback_before_reply: SIGNED_IN,
  callback_lost: UNPROVEN,
  token_late: SIGNED_IN,
  callback_expired: EXPIRED,
  token_unknown_key: UNPROVEN,
  token_wrong_audience: UNPROVEN,
  token_expired: UNPROVEN,
  token_other_person: { status: 'failed', code: 'provider.mismatch' },
  token_alg_none: UNPROVEN,
  lower_assurance: SIGNED_IN,
  result_without_names: { status: 'authenticated', as: 'nameless' },
};

/** Of a sign-in by browser, for the outcomes that apply to it. */
export const REDIRECT_ENDS: Readonly<Record<string, OutcomeEnd>> = {
  approves_at_once: SIGNED_IN,
  approves_after_3s: SIGNED_IN,
  approves_in_last_second: SIGNED_IN,
  refuses: REJECTED,
  not_me: REJECTED,
  never_answers: EXPIRED,
  gateway_refuses: { start: 'provider.misconfigured' },
  provider_error_500: DOWN,
  provider_down_503: DOWN,
  slow_answer: TIMEOUT,
  broken_json: { start: 'provider.bad_response' },
  // The request for a session can be repeated.
  connection_cut: DOWN,
  token_unknown_key: BAD_TOKEN,
  token_wrong_audience: BAD_TOKEN,
  token_expired: BAD_TOKEN,
  // The page is for anybody, so the person of the token signs in.
  token_other_person: { status: 'authenticated', as: 'other' },
  token_alg_none: BAD_TOKEN,
  lower_assurance: { status: 'authenticated', as: 'lower' },
};
