import { maskForms, maskIdentity, MASKED, type IsKnownNumber } from './mask-forms.ts';
import { isIdentityName, isSecretName, isSecretParameter } from './secret-names.ts';

/** Members of an address, or of a form in one. */
const PARAMETER = /([?&#])([^=&#?\s"'<>]{1,64})=([^&#\s"'<>]*)/g;
/** Members of JSON that is quoted, or that was cut off. */
const MEMBER = /"([^"\\]{1,64})(\\?"\s*:\s*\\?")([^"\\]*)/g;
const NUMBER_MEMBER = /"([^"\\]{1,64})(\\?"\s*:\s*)(\d+)/g;
/** What has no separator of an address in it: a value, or a path. */
const PART = /[^\s"'<>&=?#]+/g;
const ENCODED = /(?:%[\da-f]{2})+/gi;

export interface TextMask {
  /** It is no secret, although it can be the `state` of a page. */
  readonly attemptId: string;
  /** Values that are secrets wherever they stand. */
  readonly secrets: readonly string[];
  readonly isKnown: IsKnownNumber;
}

/**
 * A text without secrets and without identity numbers of anybody but the invented people. Where one
 * is found only when the text is decoded, the text is shown decoded.
 */
export function maskText(text: string, mask: TextMask): string {
  const utf8 = fromLatin1(text);
  const masked = utf8 === text ? text : maskPlain(maskParts(utf8, mask), mask);
  return masked === utf8 ? maskPlain(maskParts(text, mask), mask) : masked;
}

function maskParts(text: string, mask: TextMask): string {
  if (!text.includes('%')) return text;
  return text.replaceAll(PART, (part) => {
    if (!part.includes('%')) return part;
    // An address can stand in a parameter of another one.
    const plain = decoded(decoded(part));
    const masked = maskPlain(plain, mask);
    return masked === plain ? part : masked;
  });
}

function maskPlain(text: string, mask: TextMask): string {
  const parted = text
    .replaceAll(PARAMETER, (whole: string, before: string, name: string, value: string) => {
      const isPublic = value === '' || value === mask.attemptId;
      const isSecret = isSecretParameter(decoded(decoded(name)));
      return isPublic || !isSecret ? whole : `${before}${name}=${MASKED}`;
    })
    .replaceAll(MEMBER, (whole: string, name: string, between: string) =>
      isSecretName(name) ? `"${name}${between}${MASKED}` : whole,
    )
    .replaceAll(NUMBER_MEMBER, (whole: string, name: string, between: string, value: string) =>
      isIdentityName(name) ? `"${name}${between}${maskIdentity(value, mask.isKnown)}` : whole,
    );
  const without = mask.secrets.reduce((rest, secret) => rest.replaceAll(secret, MASKED), parted);
  return maskForms(without, mask.isKnown);
}

/** Escapes that mean nothing are replaced by a sign of their own: they can't hide the others. */
function decoded(text: string): string {
  if (!text.includes('%')) return text;
  return text.replaceAll(ENCODED, (run) =>
    Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}

/** The characters of a header are the bytes that were sent. */
function fromLatin1(text: string): string {
  const isBytes = /[\u0080-\u00ff]/.test(text) && !/[^\0-\u00ff]/.test(text);
  return isBytes ? Buffer.from(text, 'latin1').toString('utf8') : text;
}
