import type { Flow } from '../../domain/flow.ts';
import { parseNationalId, type NationalId } from '../../domain/national-id.ts';
import type { DocumentType } from '../../domain/user.ts';
import { member, type JsonObject } from '../json/strict-json.ts';
import { TokenFault } from '../token/token-fault.ts';

export interface Identifier {
  readonly documentType: DocumentType;
  readonly number: NationalId;
}

/** The register that a claim's number stands in. */
const TYPED: ReadonlyMap<string, DocumentType> = new Map([
  ['nin', 'nin'],
  ['iqamaNumber', 'iqama'],
  ['visaNumber', 'visa'],
  ['borderNumber', 'border'],
]);

/**
 * By its first digit, where a claim has no type. A visitor's number could stand in two registers,
 * and guessing would make one person two users, so it needs its typed claim.
 */
const BY_FIRST_DIGIT: ReadonlyMap<string, DocumentType> = new Map([
  ['1', 'nin'],
  ['2', 'iqama'],
]);

const ASCII_DIGITS = /^[1-9]\d{9}$/;

/** What `nationalId` and `sub` hold. */
type Untyped = readonly [NationalId | null, NationalId | null];

/**
 * Who the token is about (decision 13): one typed claim, else `nationalId`, else a `sub` that is
 * such a number, in the redirect flow only. Claims that name two people, or one person in two registers, are refused.
 * @throws TokenFault
 */
export function readIdentifier(claims: JsonObject, flow: Flow): Identifier {
  const typed = [...TYPED].filter(([name]) => isPresent(claims, name));
  if (typed.length > 1) throw new TokenFault('two typed identifiers');
  const untyped: Untyped = [identifierIn(claims, 'nationalId'), subjectIn(claims)];
  const [first] = typed;
  const number = first === undefined ? withoutType(untyped, flow) : identifierIn(claims, first[0]);
  if (number === null) throw new TokenFault('no identifier');
  if (untyped.some((value) => value !== null && value !== number)) {
    throw new TokenFault('conflicting identifiers');
  }
  const documentType = first?.[1] ?? BY_FIRST_DIGIT.get(number.slice(0, 1));
  if (documentType === undefined) throw new TokenFault('identifier of no known register');
  return { documentType, number };
}

function withoutType([nationalId, subject]: Untyped, flow: Flow): NationalId | null {
  return nationalId ?? (flow === 'oidc' ? subject : null);
}

/** Providers send the claims of other documents along, empty. */
function isPresent(claims: JsonObject, name: string): boolean {
  const value = member(claims, name);
  return value !== undefined && value !== null && value !== '';
}

function identifierIn(claims: JsonObject, name: string): NationalId | null {
  if (!isPresent(claims, name)) return null;
  const number = parseAscii(member(claims, name));
  if (number === null) throw new TokenFault(`${name} is no identifier`);
  return number;
}

/** The subject may be an opaque name of the provider's own; then it says nothing here. */
function subjectIn(claims: JsonObject): NationalId | null {
  return parseAscii(member(claims, 'sub'));
}

function parseAscii(value: unknown): NationalId | null {
  return typeof value === 'string' && ASCII_DIGITS.test(value) ? parseNationalId(value) : null;
}
