import {
  JsonFault,
  member,
  parseStrictObject,
  type JsonLimits,
  type JsonObject,
} from '../strict-json.ts';
import { TokenFault } from './token-fault.ts';

const TOKEN_LENGTH = 16 * 1024;
/** A person with several addresses has some hundred members, many of them in two languages. */
const TOKEN_JSON: JsonLimits = { depth: 8, items: 512 };
const KID_LENGTH = 255;

/** The only accepted algorithm. We choose it, not the token (RFC 8725 section 3.1). */
export const ALGORITHM = 'RS256';

/** The content of a token before its signature is verified. */
export interface ParsedToken {
  readonly kid: string | null;
  readonly claims: JsonObject;
}

/**
 * Accepts a token of three parts in canonical base64url (RFC 7515 section 3.1) whose header names
 * our algorithm and no key of its own, and whose claims are strict JSON. @throws TokenFault
 */
export function parseToken(token: string): ParsedToken {
  if (token.length > TOKEN_LENGTH) throw new TokenFault('form', 'too long');
  const parts = token.split('.');
  const [header, claims, signature] = parts;
  if (parts.length !== 3 || !header || !claims || !signature) {
    throw new TokenFault('form', 'not three parts');
  }
  decodePart(signature);
  const kid = checkHeader(parseObject(header, 'header'));
  return { kid, claims: parseObject(claims, 'claims') };
}

/** With these a token would bring its own key, or use extensions that we do not support. */
const REFUSED_MEMBERS = ['jku', 'x5u', 'jwk', 'x5c', 'crit', 'b64', 'enc', 'zip'];

function checkHeader(header: JsonObject): string | null {
  const refused = REFUSED_MEMBERS.find((name) => Object.hasOwn(header, name));
  if (refused !== undefined) throw new TokenFault('header', `header member ${refused}`);
  if (member(header, 'alg') !== ALGORITHM) throw new TokenFault('header', 'alg');
  const typ = member(header, 'typ') ?? 'JWT';
  // Another `typ` is another kind of token (RFC 8725 section 3.11).
  if (typeof typ !== 'string' || typ.toUpperCase() !== 'JWT') throw new TokenFault('header', 'typ');
  return kidOf(member(header, 'kid'));
}

function kidOf(kid: unknown): string | null {
  if (kid === undefined) return null;
  if (typeof kid !== 'string' || kid === '' || kid.length > KID_LENGTH) {
    throw new TokenFault('header', 'kid');
  }
  return kid;
}

function parseObject(part: string, name: string): JsonObject {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      decodePart(part),
    );
    const object = parseStrictObject(text, TOKEN_JSON);
    if (object !== null) return object;
  } catch (error) {
    if (error instanceof JsonFault) throw new TokenFault('form', `${name}: ${error.reason}`);
    if (!(error instanceof TypeError)) throw error;
  }
  throw new TokenFault('form', `${name}: not an object in UTF-8`);
}

/**
 * Buffer also decodes text that is not base64url, so encoding the bytes again must give the same
 * text.
 */
function decodePart(part: string): Buffer {
  const bytes = Buffer.from(part, 'base64url');
  if (bytes.toString('base64url') !== part) throw new TokenFault('form', 'base64url');
  return bytes;
}
