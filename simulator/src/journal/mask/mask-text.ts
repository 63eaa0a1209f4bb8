import { decodingsOf } from './decodings.ts';
import { maskForms, maskIdentity, MASKED, type IsKnownNumber } from './mask-forms.ts';
import { secretParametersIn } from './parameters.ts';
import { isIdentityName, isSecretName } from './secret-names.ts';

/** Members of JSON that is quoted, or that was cut off. */
const MEMBER = /"([^"\\]{1,64})(\\?"\s*:\s*\\?")([^"\\]*)/g;
const NUMBER_MEMBER = /"([^"\\]{1,64})(\\?"\s*:\s*)(\d+)/g;
/** A character of JSON by its number, the backslash of which may be written so too. */
const ESCAPE = /\\+(?:u005c)*u([\da-f]{4})/gi;
/** What has no separator of an address in it: a value, or a path. */
const PART = /[^\s"'<>&=?#]+/g;

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
    const { texts, isKnown } = decodingsOf(part);
    if (!isKnown) return MASKED;
    const plain = texts.at(-1) ?? part;
    const masked = maskPlain(plain, mask);
    return masked === plain ? part : masked;
  });
}

function maskPlain(text: string, mask: TextMask): string {
  const masked = maskRead(text, mask);
  // A text can be JSON, which whoever takes it reads without escapes.
  const unescaped = masked.replaceAll(ESCAPE, (_, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  );
  if (unescaped === masked) return masked;
  const shown = maskRead(unescaped, mask);
  return shown === unescaped ? masked : shown;
}

function maskRead(text: string, mask: TextMask): string {
  // Before the parameters: a secret can have signs in it that end one.
  const without = mask.secrets.reduce((rest, secret) => rest.replaceAll(secret, MASKED), text);
  const parted = maskParameters(without, mask)
    .replaceAll(MEMBER, (whole: string, name: string, between: string) =>
      isSecretName(name) ? `"${name}${between}${MASKED}` : whole,
    )
    .replaceAll(NUMBER_MEMBER, (whole: string, name: string, between: string, value: string) =>
      isIdentityName(name) ? `"${name}${between}${maskIdentity(value, mask.isKnown)}` : whole,
    );
  return maskForms(parted, mask.isKnown);
}

function maskParameters(text: string, { attemptId }: TextMask): string {
  let masked = '';
  let done = 0;
  for (const { value, start, end } of secretParametersIn(text)) {
    const isPublic = value === '' || value === attemptId;
    masked += text.slice(done, start) + (isPublic ? value : MASKED);
    done = end;
  }
  return masked + text.slice(done);
}

/** The characters of a header are the bytes that were sent. */
function fromLatin1(text: string): string {
  const isBytes = /[\u0080-\u00ff]/.test(text) && !/[^\0-\u00ff]/.test(text);
  return isBytes ? Buffer.from(text, 'latin1').toString('utf8') : text;
}
