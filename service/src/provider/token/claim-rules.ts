import { HOUR_MS, MINUTE_MS, SECOND_MS, type Ms } from '../../domain/time.ts';
import { asArray, member, type JsonObject, type JsonValue } from '../json/strict-json.ts';
import { TokenFault } from './token-fault.ts';

/** Claims that some providers omit. The times, and a push's transaction id, are always required. */
export type RequiredClaim = 'iss' | 'aud' | 'sub' | 'nonce' | 'ServiceName';

const ALWAYS_REQUIRED = ['exp', 'iat'] as const;

/** The claims that tokens of one kind must have. A claim that is present is checked in any case. */
export interface TokenProfile {
  readonly required: readonly RequiredClaim[];
}

/** The attempt that a token must be for. */
export type TokenExpectation =
  | { readonly kind: 'redirect'; readonly nonce: string; readonly createdAt: Ms }
  | {
      readonly kind: 'phone';
      readonly transactionId: string;
      /** The registered service name of the push; the token repeats it as `ServiceName`. */
      readonly service: string;
      readonly createdAt: Ms;
    };

export interface ClaimContext {
  readonly issuer: string;
  /** The relying party's URL: the audience in the tokens of both flows. */
  readonly audience: string;
  readonly profile: TokenProfile;
  readonly expected: TokenExpectation;
  readonly now: Ms;
}

/** The accepted difference between the provider's clock and ours. */
const CLOCK_SKEW_MS = MINUTE_MS;
/** No sign-in token should live longer; the reported lifetime is 150 seconds. */
const LONGEST_LIFE_MS = HOUR_MS;
const SUBJECT_LENGTH = 255;

/** Checks every rule; the first broken one is named. @throws TokenFault */
export function checkClaims(claims: JsonObject, context: ClaimContext): void {
  for (const name of [...ALWAYS_REQUIRED, ...context.profile.required]) {
    if (!Object.hasOwn(claims, name)) throw new TokenFault(`${name} missing`);
  }
  checkIssuance(claims, context);
  checkTimes(claims, context);
  if (context.expected.kind === 'redirect') checkRedirect(claims, context.expected.nonce);
  else checkPhone(claims, context.expected);
}

/** Issuer, audience and subject: OpenID Connect Core section 3.1.3.7, rules 2 to 5. */
function checkIssuance(claims: JsonObject, { issuer, audience }: ClaimContext): void {
  check(claims, 'iss', (value) => value === issuer);
  check(claims, 'aud', (value) => isAudience(value, audience));
  check(claims, 'azp', (value) => value === audience);
  check(claims, 'sub', isSubject);
}

/**
 * Ours must be the only audience: another one is not trusted, and the token may be meant for it.
 */
function isAudience(value: JsonValue, audience: string): boolean {
  const all = asArray(value) ?? [value];
  return all.length === 1 && all[0] === audience;
}

function isSubject(value: JsonValue): boolean {
  return typeof value === 'string' && value !== '' && value.length <= SUBJECT_LENGTH;
}

/**
 * RFC 7519 sections 4.1.4 to 4.1.6. `max_age` of the authorization address is a Unix time and
 * proves nothing, so freshness is checked by `iat` and `auth_time`: neither may be before the
 * attempt's start.
 */
function checkTimes(claims: JsonObject, { expected, now }: ClaimContext): void {
  const isFresh = (at: Ms) => at >= expected.createdAt - CLOCK_SKEW_MS && at <= now + CLOCK_SKEW_MS;
  checkTime(claims, 'exp', (at) => at > now - CLOCK_SKEW_MS && at <= now + LONGEST_LIFE_MS);
  checkTime(claims, 'nbf', (at) => at <= now + CLOCK_SKEW_MS);
  checkTime(claims, 'iat', isFresh);
  checkTime(claims, 'auth_time', isFresh);
}

function checkTime(claims: JsonObject, name: string, isRight: (at: Ms) => boolean): void {
  check(claims, name, (value) => {
    const isDate = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
    return isDate && isRight(value * SECOND_MS);
  });
}

/** Claims of the phone flow's tokens. A token of one kind with claims of the other is refused. */
const PHONE_CLAIMS = ['transId', 'status', 'ServiceName'];

/** OpenID Connect Core section 3.1.3.7, rule 11: the nonce binds the token to one attempt. */
function checkRedirect(claims: JsonObject, nonce: string): void {
  const foreign = PHONE_CLAIMS.find((name) => Object.hasOwn(claims, name));
  if (foreign !== undefined) throw new TokenFault(`${foreign} in a token of the redirect flow`);
  check(claims, 'nonce', (value) => value === nonce);
}

type ExpectedPush = Extract<TokenExpectation, { kind: 'phone' }>;

function checkPhone(claims: JsonObject, { transactionId, service }: ExpectedPush): void {
  if (Object.hasOwn(claims, 'nonce')) throw new TokenFault('nonce in a token of the phone flow');
  if (member(claims, 'transId') !== transactionId) throw new TokenFault('transId');
  check(claims, 'ServiceName', (value) => value === service);
  pushStatusIn(claims);
}

export type SignedStatus = 'completed' | 'rejected' | 'expired';

const STATUSES: ReadonlyMap<unknown, SignedStatus> = new Map([
  ['COMPLETED', 'completed'],
  ['REJECTED', 'rejected'],
  ['EXPIRED', 'expired'],
]);

/** How the push ended. @throws TokenFault when the token has no known status */
export function pushStatusIn(claims: JsonObject): SignedStatus {
  const status = STATUSES.get(member(claims, 'status'));
  if (status === undefined) throw new TokenFault('status');
  return status;
}

/** A claim may be absent unless the profile requires it; a claim that is present must be right. */
function check(claims: JsonObject, name: string, isRight: (value: JsonValue) => boolean): void {
  const value = member(claims, name);
  if (value !== undefined && !isRight(value)) throw new TokenFault(name);
}
