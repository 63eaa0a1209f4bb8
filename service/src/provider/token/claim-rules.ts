import {
  printable,
  printableClaim,
  printableSpan,
  printableTime,
  type SignedCheck,
} from '../../attempt/refused-token.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS, type Ms } from '../../values/time.ts';
import { asArray, member, type JsonObject, type JsonValue } from '../strict-json.ts';
import { TokenFault, type ToldOfToken } from './token-fault.ts';

/** Claims that some providers omit. The times, and a push's transaction id, are always required. */
export type RequiredClaim = 'iss' | 'aud' | 'sub' | 'nonce';

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

interface Rule {
  readonly name: SignedCheck;
  readonly isRight: (value: JsonValue) => boolean;
  /** For a claim that names no person: what is expected, and what came. */
  readonly told?: (value: JsonValue | undefined) => ToldOfToken;
}

/**
 * Checks every rule; the first broken one is named. Only for claims whose signature was verified,
 * because a fault may quote them. @throws TokenFault
 */
export function checkClaims(claims: JsonObject, context: ClaimContext): void {
  const { expected, profile } = context;
  const required = new Set<string>([...ALWAYS_REQUIRED, ...profile.required]);
  const ofFlow = expected.kind === 'redirect' ? redirectRules(expected) : phoneRules(expected);
  for (const rule of [...issuanceRules(context), ...timeRules(context), ...ofFlow]) {
    check(claims, rule, required.has(rule.name));
  }
  requireFlow(claims, expected);
}

/** A claim may be absent unless it is required; a claim that is present must be right. */
function check(claims: JsonObject, { name, isRight, told }: Rule, isRequired: boolean): void {
  const value = member(claims, name);
  if (value === undefined ? !isRequired : isRight(value)) return;
  throw new TokenFault(name, value === undefined ? `${name} missing` : name, told?.(value));
}

/** Issuer, audience and subject: OpenID Connect Core section 3.1.3.7, rules 2 to 5. */
function issuanceRules({ issuer, audience }: ClaimContext): readonly Rule[] {
  return [
    { name: 'iss', isRight: (value) => value === issuer, told: against(issuer) },
    { name: 'aud', isRight: (value) => isAudience(value, audience), told: against(audience) },
    { name: 'azp', isRight: (value) => value === audience, told: against(audience) },
    { name: 'sub', isRight: isSubject },
  ];
}

function against(wanted: string): NonNullable<Rule['told']> {
  return (value) => ({ expected: printable(wanted), came: printableClaim(value) });
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
function timeRules({ expected, now }: ClaimContext): readonly Rule[] {
  const latest = now + CLOCK_SKEW_MS;
  const start = expected.createdAt - CLOCK_SKEW_MS;
  const rule = (name: SignedCheck, from: Ms, to: Ms): Rule => ({
    name,
    isRight: (value) => isWithin(timeOf(value), from, to),
    told: (value) => ({
      expected: printableSpan(from, to),
      came: value === undefined ? printableClaim(value) : printableTime(timeOf(value), now),
    }),
  });
  return [
    rule('exp', now - CLOCK_SKEW_MS + 1, now + LONGEST_LIFE_MS),
    rule('nbf', 0, latest),
    rule('iat', start, latest),
    // When the person has signed in before is not told: only the check is named.
    { ...rule('auth_time', start, latest), told: () => ({}) },
  ];
}

/** Null for anything but whole seconds since 1970. */
function timeOf(value: JsonValue | undefined): Ms | null {
  const isTime = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
  return isTime ? value * SECOND_MS : null;
}

function isWithin(at: Ms | null, from: Ms, to: Ms): boolean {
  return at !== null && at >= from && at <= to;
}

type Expected<Kind> = Extract<TokenExpectation, { kind: Kind }>;

/** OpenID Connect Core section 3.1.3.7, rule 11: the nonce binds the token to one attempt. */
function redirectRules({ nonce }: Expected<'redirect'>): readonly Rule[] {
  return [{ name: 'nonce', isRight: (value) => value === nonce }];
}

function phoneRules({ service }: Expected<'phone'>): readonly Rule[] {
  return [{ name: 'ServiceName', isRight: (value) => value === service }];
}

/** Claims of the phone flow's tokens. A token of one kind with claims of the other is refused. */
const PHONE_CLAIMS = ['transId', 'status', 'ServiceName'];

function requireFlow(claims: JsonObject, expected: TokenExpectation): void {
  if (expected.kind === 'redirect') {
    const foreign = PHONE_CLAIMS.find((name) => Object.hasOwn(claims, name));
    if (foreign === undefined) return;
    throw new TokenFault('flow', `${foreign} in a token of the redirect flow`);
  }
  if (Object.hasOwn(claims, 'nonce')) {
    throw new TokenFault('flow', 'nonce in a token of the phone flow');
  }
  const { transactionId } = expected;
  if (member(claims, 'transId') !== transactionId) throw new TokenFault('transId');
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
