import {
  JsonFault,
  member,
  parseStrictObject,
  type JsonLimits,
  type JsonObject,
} from '../json/strict-json.ts';
import { TokenFault } from './token-fault.ts';

const TOKEN_LENGTH = 16 * 1024;
const TOKEN_JSON: JsonLimits = { depth: 8, items: 128 };
const KID_LENGTH = 255;

/** The one algorithm. It is ours to choose, never the token's (RFC 8725 section 3.1). */
export const ALGORITHM = 'RS256';

/** What a token says, before anybody has vouched for it. */
export interface ParsedToken {
  readonly kid: string | null;
  readonly claims: JsonObject;
}

/**
 * Three parts in canonical base64url (RFC 7515 section 3.1), a header of the one algorithm that
 * points to no key of its own, and claims in strict JSON. @throws TokenFault
 */
export function parseToken(token: string): ParsedToken {
  if (token.length > TOKEN_LENGTH) throw new TokenFault('too long');
  const parts = token.split('.');
  const [header, claims, signature] = parts;
  if (parts.length !== 3 || !header || !claims || !signature) {
    throw new TokenFault('not three parts');
  }
  decodePart(signature);
  const kid = checkHeader(parseObject(header, 'header'));
  return { kid, claims: parseObject(claims, 'claims') };
}

/** By these a token would bring its own key, or ask for rules that nobody here knows. */
const REFUSED_MEMBERS = ['jku', 'x5u', 'jwk', 'x5c', 'crit', 'b64', 'enc', 'zip'];

function checkHeader(header: JsonObject): string | null {
  const refused = REFUSED_MEMBERS.find((name) => Object.hasOwn(header, name));
  if (refused !== undefined) throw new TokenFault(`header member ${refused}`);
  if (member(header, 'alg') !== ALGORITHM) throw new TokenFault('alg');
  const typ = member(header, 'typ') ?? 'JWT';
  // Other types are other kinds of tokens (RFC 8725 section 3.11).
  if (typeof typ !== 'string' || typ.toUpperCase() !== 'JWT') throw new TokenFault('typ');
  return kidOf(member(header, 'kid'));
}

function kidOf(kid: unknown): string | null {
  if (kid === undefined) return null;
  if (typeof kid !== 'string' || kid === '' || kid.length > KID_LENGTH) throw new TokenFault('kid');
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
    if (error instanceof JsonFault) throw new TokenFault(`${name}: ${error.reason}`);
    if (!(error instanceof TypeError)) throw error;
  }
  throw new TokenFault(`${name}: not an object in UTF-8`);
}

/** Buffer reads much as base64url that is not; only what writes back the same was really it. */
function decodePart(part: string): Buffer {
  const bytes = Buffer.from(part, 'base64url');
  if (bytes.toString('base64url') !== part) throw new TokenFault('base64url');
  return bytes;
}
