import type { Branded } from '../values/brand.ts';
import { DAY_MS, isoTimestamp, type Ms } from '../values/time.ts';

/** What is checked until the signature is verified: anybody can send a token that fails here. */
export const UNSIGNED_CHECKS = ['form', 'header', 'kid', 'signature', 'transaction'] as const;

/** What is checked of a token that the provider has signed: the name of a claim, or of a group. */
export const SIGNED_CHECKS = [
  'iss',
  'aud',
  'azp',
  'sub',
  'exp',
  'nbf',
  'iat',
  'auth_time',
  'flow',
  'nonce',
  'transId',
  'ServiceName',
  'status',
  'name',
  'identifier',
  'nationality',
  'gender',
  'assurance',
] as const;

export type SignedCheck = (typeof SIGNED_CHECKS)[number];
export type TokenCheck = (typeof UNSIGNED_CHECKS)[number] | SignedCheck;
export const TOKEN_CHECKS: readonly TokenCheck[] = [...UNSIGNED_CHECKS, ...SIGNED_CHECKS];

export function isSignedCheck(check: TokenCheck): check is SignedCheck {
  return SIGNED_CHECKS.some((one) => one === check);
}

/** Text that `printable` has made: it has no digits of a person, and no character that acts. */
export type Printable = Branded<string, 'Printable'>;

/**
 * What an operator is told of a token of the provider that was refused. `came` is only known of a
 * token whose signature was verified, and only of its issuer, audience and times.
 */
export interface RefusedToken {
  readonly check: TokenCheck;
  readonly expected: Printable | null;
  readonly came: Printable | null;
}

/** The same as one text, for the audit log: `aud expected "https://a.example" came "nothing"`. */
export type RefusedTokenText = Branded<string, 'RefusedTokenText'>;

export function textOfRefused({ check, expected, came }: RefusedToken): RefusedTokenText {
  const parts = [
    check,
    ...(expected === null ? [] : [`expected "${expected}"`]),
    ...(came === null ? [] : [`came "${came}"`]),
  ];
  return parts.join(' ') as RefusedTokenText;
}

const PRINTED = String.raw`"([\x20\x21\x23-\x7e]{0,200})"`;
const TEXT = new RegExp(`^(\\w{2,20})(?: expected ${PRINTED})?(?: came ${PRINTED})?$`);

/** Null for any other text. */
export function parseRefused(text: string): RefusedToken | null {
  const [, name, expected = null, came = null] = TEXT.exec(text) ?? [];
  const check = TOKEN_CHECKS.find((one) => one === name);
  if (check === undefined) return null;
  return { check, expected: expected as Printable | null, came: came as Printable | null };
}

const LONGEST = 200;
const CUT = '...';
const HIDDEN = '[digits]';

/** Ten digits, of any script, with no letter between them: they may be somebody's number. */
const NUMBER = /\p{N}(?:[^\p{L}\p{N}]*\p{N}){9,}/gu;
/** Other characters could imitate these, reorder a line, or end it. */
const UNPRINTABLE = /[^\x20\x21\x23-\x5b\x5d-\x7e]/gu;

/** Visible ASCII of at most 200 characters; any other character is written as `\u{202e}`. */
export function printable(text: string): Printable {
  const shown = text
    .replace(NUMBER, HIDDEN)
    .replace(UNPRINTABLE, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
  const short = shown.length > LONGEST ? shown.slice(0, LONGEST - CUT.length) + CUT : shown;
  return short as Printable;
}

/** A claim that names no person: text, or a list of texts. Of anything else only the kind is told. */
export function printableClaim(value: unknown): Printable {
  if (value === undefined) return printable('nothing');
  if (typeof value === 'string') return printable(value);
  if (!Array.isArray(value)) return printable(value === null ? 'null' : `no text: ${typeof value}`);
  const parts = value.map((part: unknown) => (typeof part === 'string' ? part : typeof part));
  return printable(`[${parts.join(', ')}]`);
}

/**
 * A time near ours. One that is far away is not told, because a number that is no time, such as
 * that of a person, could be read back from it.
 */
export function printableTime(at: Ms | null, now: Ms): Printable {
  if (at === null) return printable('no time');
  const far = at < now ? 'more than a day ago' : 'in more than a day';
  return Math.abs(at - now) > DAY_MS ? printable(far) : ownTime(at);
}

/** A time of ours has more than ten digits, which are nobody's number. */
export function printableSpan(from: Ms, to: Ms): Printable {
  return `${ownTime(from)} to ${ownTime(to)}` as Printable;
}

function ownTime(at: Ms): Printable {
  return isoTimestamp(at) as Printable;
}
