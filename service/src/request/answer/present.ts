import type * as wire from '@miftah/contract';
import type { ApiTokenRecord } from '../../account/api-token.ts';
import { expiryOf, type Attempt, type AttemptState } from '../../attempt/attempt.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import { wordingOf } from '../../errors/wording.ts';
import type { Locale } from '../../values/locale.ts';
import { isoTimestamp, SECOND_MS } from '../../values/time.ts';
import { displayName, type User } from '../../account/user.ts';
import { type AttemptStatus, isTokenReady } from '../../attempt/read-attempt.flow.ts';
import type { StartedAttempt } from '../../attempt/start/start-attempt.flow.ts';
import type { IssuedToken } from '../../attempt/redeem/token-request.flow.ts';
import type { Devices } from '../../account/use-api-token.flow.ts';
import type { TokenWithUser } from '../../store/ports/store.port.ts';

// Translates attempts, people and tokens to the names of the interface document.

export function presentStarted({ record, token }: StartedAttempt, baseUrl: string): wire.Started {
  const { attemptId, bindingCode, expiresAt } = record;
  const common = { attempt_id: attemptId, attempt_token: token.reveal() };
  const expires_at = isoTimestamp(expiresAt);
  // Only the phone flow has a code.
  if (bindingCode === null) {
    return { ...common, authorization_url: authorizationUrl(baseUrl, attemptId), expires_at };
  }
  const random_expires_at = isoTimestamp(expiryOf(record));
  return { ...common, random: bindingCode, random_expires_at, expires_at };
}

export function authorizationUrl(baseUrl: string, attemptId: string): string {
  return `${baseUrl}/callback?state=${attemptId}`;
}

const WIRE_STATES = {
  pending: ['pending', 'PENDING'],
  authenticated: ['authenticated', 'COMPLETED'],
  redeemed: ['authenticated', 'COMPLETED'],
  rejected: ['rejected', 'REJECTED'],
  failed: ['failed', 'FAILED'],
  expired: ['expired', 'EXPIRED'],
} as const satisfies Record<
  AttemptState,
  readonly [wire.AttemptStatus['status'], wire.AttemptStatus['provider_status']]
>;

/** In live mode `present` masks the user: only the redemption tells who signed in. */
export function presentStatus(
  { attempt, user }: AttemptStatus,
  present = presentUser,
): wire.AttemptStatus {
  const [status, provider_status] = WIRE_STATES[attempt.state];
  const reason = endReason(attempt);
  return {
    attempt_id: attempt.record.attemptId,
    status,
    provider_status,
    message: reason === null ? null : wordingOf(reason, attempt.record.locale).message,
    token_ready: isTokenReady(attempt),
    user: user === null ? null : present(user),
  };
}

function endReason(attempt: Attempt): ErrorCode | null {
  if (attempt.state === 'expired') return 'attempt.expired';
  return attempt.state === 'rejected' || attempt.state === 'failed' ? attempt.reason : null;
}

export function presentUser(user: User): wire.User {
  return {
    id: user.id,
    national_id: user.nationalId,
    name: displayName(user),
    arabic_name: user.arabicName,
    english_name: user.englishName,
    preferred_locale: user.preferredLocale,
    nationality: user.nationality,
    gender: user.gender,
    assurance_level: user.assuranceLevel,
    last_auth_method: user.lastAuthMethod,
  };
}

/** `GET /user` also names the application of the token, because no other may accept it. */
export function presentTokenUser({ user, token }: TokenWithUser): wire.TokenUser {
  return { ...presentUser(user), client_id: token.client };
}

const SHOWN_DIGITS = 4;

/**
 * Has all ten members, so that every client can read it, but no name, and of the number only the
 * last digits.
 */
export function presentMaskedUser(user: User): wire.User {
  const national_id = user.nationalId.slice(-SHOWN_DIGITS);
  return { ...presentUser(user), national_id, name: '', arabic_name: '', english_name: '' };
}

export function presentToken({ text, token, user }: IssuedToken): wire.ApiToken {
  return {
    token: text.reveal(),
    token_type: 'Bearer',
    expires_at: isoTimestamp(token.expiresAt),
    user: presentUser(user),
  };
}

function presentDevice(token: ApiTokenRecord, current: ApiTokenRecord): wire.Device {
  return {
    id: token.tokenId,
    device_name: token.deviceName,
    created_at: isoTimestamp(token.createdAt),
    expires_at: isoTimestamp(token.expiresAt),
    current: token.tokenId === current.tokenId,
  };
}

export function presentDevices({ tokens, next }: Devices, current: ApiTokenRecord): wire.Devices {
  return { data: tokens.map((token) => presentDevice(token, current)), next };
}

/** RFC 7662. Without name and national id: a back end that needs them calls `GET /user`. */
export function presentIntrospection(found: TokenWithUser | null): wire.Introspection {
  if (found === null) return { active: false };
  const { token, user } = found;
  return {
    active: true,
    client_id: token.client,
    token_type: 'Bearer',
    sub: String(user.id),
    jti: token.tokenId,
    iat: Math.floor(token.createdAt / SECOND_MS),
    exp: Math.floor(token.expiresAt / SECOND_MS),
  };
}

const OUTCOMES = {
  completed: { ar: 'اكتمل التحقق من الهوية.', en: 'The authentication is complete.' },
  waiting: {
    ar: 'المحاولة بانتظار أن يكمل المستخدم تسجيل الدخول.',
    en: 'The attempt is waiting for the person to sign in.',
  },
} as const;

export function outcomeSentence(outcome: keyof typeof OUTCOMES, locale: Locale): string {
  return OUTCOMES[outcome][locale];
}
