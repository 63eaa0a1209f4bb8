import type { Attempt } from './attempt.ts';

/**
 * Why a sign-in came to nothing, in OAuth's words: RFC 6749 section 4.1.2.1 and RFC 8628 section 3.5.
 * The application reads it in the address that its browser comes back to.
 */
export type ReturnError = 'access_denied' | 'expired_token';

/** Null for what is open, has succeeded, or ended by a fault that nobody can better by going back. */
export function returnErrorOf(attempt: Attempt): ReturnError | null {
  if (attempt.state === 'expired') return 'expired_token';
  const isRefused = attempt.state === 'rejected' && attempt.reason === 'attempt.rejected';
  return isRefused ? 'access_denied' : null;
}
