import type { Attempt } from '../attempt.ts';

/**
 * Why a sign-in failed, in OAuth's terms: RFC 6749 section 4.1.2.1 and RFC 8628 section 3.5.
 * The application reads it in the return address that its browser opens.
 */
export type ReturnError = 'access_denied' | 'expired_token';

/**
 * Null for an attempt that is open or succeeded, and for one that ended with an error of another
 * kind.
 */
export function returnErrorOf(attempt: Attempt): ReturnError | null {
  if (attempt.state === 'expired') return 'expired_token';
  const isRefused = attempt.state === 'rejected' && attempt.reason === 'attempt.rejected';
  return isRefused ? 'access_denied' : null;
}
