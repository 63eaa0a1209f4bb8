/** Nothing that leaves the journal has a secret, or an identity number of a real person. */
import { MOST_DEPTH, type Entry, type Exchange, type Message } from '../entry.ts';
import { MASKED, maskIdentity, type IsKnownNumber } from './mask-forms.ts';
import { maskText, type TextMask } from './mask-text.ts';
import { secretsIn } from './secrets-in.ts';
import { isIdentityName, isSecretName } from './secret-names.ts';

/** As in JWT and OpenID Connect. */
const TIMES: ReadonlySet<string> = new Set(['auth_time', 'exp', 'iat', 'nbf']);
/** The id of a user is no identity number. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The entries of one attempt as others may see them: the secrets of one are masked in all.
 * @param entries with bodies as `readable` makes them
 */
export function maskEntries<Kept extends { readonly entry: Entry }>(
  entries: readonly Kept[],
  attemptId: string,
  isKnown: IsKnownNumber,
): readonly Kept[] {
  const found = secretsIn(entries.map(({ entry }) => entry));
  const secrets = found.filter((secret) => secret !== attemptId);
  const mask = { attemptId, secrets, isKnown };
  return entries.map((kept) => ({ ...kept, entry: maskEntry(kept.entry, mask) }));
}

function maskEntry(entry: Entry, mask: TextMask): Entry {
  const { exchange } = entry;
  return exchange === null ? entry : { ...entry, exchange: maskExchange(exchange, mask) };
}

function maskExchange(exchange: Exchange, mask: TextMask): Exchange {
  const { path, request, response } = exchange;
  return {
    ...exchange,
    path: maskText(path, mask),
    request: maskMessage(request, mask),
    response: maskMessage(response, mask),
  };
}

function maskMessage({ headers, body }: Message, mask: TextMask): Message {
  const shown = Object.entries(headers).map(([name, value]): [string, string] => [
    maskText(name, mask),
    isSecretName(name) ? maskHeader(value) : maskText(value, mask),
  ]);
  return {
    headers: Object.fromEntries(shown),
    body: maskValue(body, mask, 0),
  };
}

/** With the scheme of an Authorization, which says what was tried. */
function maskHeader(value: string): string {
  const [, scheme] = /^(Bearer|Basic) /i.exec(value) ?? [];
  return scheme === undefined ? MASKED : `${scheme} ${MASKED}`;
}

function maskValue(value: unknown, mask: TextMask, depth: number): unknown {
  if (typeof value === 'string') return maskText(value, mask);
  if (typeof value === 'number') return maskNumber(value, mask);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MOST_DEPTH) return MASKED;
  if (Array.isArray(value)) return value.map((one) => maskValue(one, mask, depth + 1));
  const members = Object.entries(value).map(([name, member]): [string, unknown] => [
    maskText(name, mask),
    maskMember({ name, member }, mask, depth),
  ]);
  return Object.fromEntries(members);
}

interface Member {
  readonly name: string;
  readonly member: unknown;
}

function maskMember({ name, member }: Member, mask: TextMask, depth: number): unknown {
  if (isSecretName(name)) return maskSecret(member, mask);
  if (typeof member === 'string' && isIdentityName(name) && !UUID.test(member)) {
    return maskIdentity(maskText(member, mask), mask.isKnown);
  }
  if (typeof member === 'number' && isIdentityName(name)) {
    return mask.isKnown(String(member)) ? member : maskIdentity(String(member), mask.isKnown);
  }
  // The second of a token's validity has as many digits as an identity number.
  return typeof member === 'number' && TIMES.has(name)
    ? member
    : maskValue(member, mask, depth + 1);
}

/** What is missing stays: that no secret was sent may be what is looked for. */
function maskSecret(member: unknown, { attemptId }: TextMask): unknown {
  const isPublic = member === '' || member === attemptId || typeof member === 'boolean';
  return member === null || isPublic ? member : MASKED;
}

function maskNumber(value: number, mask: TextMask): number | string {
  const text = String(value);
  const masked = maskText(text, mask);
  return masked === text ? value : masked;
}
