import type { Flow } from '../../attempt/flow.ts';
import { parseNationalId, type NationalId, type DocumentType } from '../../account/user.ts';
import { member, type JsonObject } from '../strict-json.ts';
import { TokenFault } from '../token/token-fault.ts';

export interface Identifier {
  readonly documentType: DocumentType;
  readonly number: NationalId;
}

/** The document type of each claim that contains a number. */
const TYPED: ReadonlyMap<string, DocumentType> = new Map([
  ['nin', 'nin'],
  ['iqamaNumber', 'iqama'],
  ['visaNumber', 'visa'],
  ['borderNumber', 'border'],
]);

/**
 * The document type of a number without a typed claim, by its first digit. A visitor's number has
 * two possible types, and a wrong guess would make one person two users, so it needs a typed claim.
 */
const BY_FIRST_DIGIT: ReadonlyMap<string, DocumentType> = new Map([
  ['1', 'nin'],
  ['2', 'iqama'],
]);

/** The document types of numbers with any other first digit. */
const VISITORS: ReadonlySet<DocumentType> = new Set(['visa', 'border']);

const ASCII_DIGITS = /^[1-9]\d{9}$/;

/**
 * The identifier of the token's person (decision 0036): from one typed claim, else from
 * `nationalId`, else, in the redirect flow only, from a `sub` that is such a number. Claims that
 * name two people, or one person with two document types, are refused.
 * @throws TokenFault
 */
export function readIdentifier(claims: JsonObject, flow: Flow): Identifier {
  const subject = flow === 'oidc' ? numberIn(claims, 'sub') : null;
  return identify(claims, identifierIn(claims, 'nationalId') ?? subject);
}

/**
 * The identifier in a push token without names (decision 0036). Both `sub` and `PersonId` must
 * contain the number, and its first digit must determine the document type. @throws TokenFault
 */
export function readThinIdentifier(claims: JsonObject): Identifier {
  const number = numberIn(claims, 'sub');
  if (number === null || number !== numberIn(claims, 'PersonId')) {
    throw new TokenFault('name', 'no name');
  }
  if (!BY_FIRST_DIGIT.has(number.slice(0, 1))) throw new TokenFault('name', 'no name');
  return identify(claims, number);
}

/** @param untyped the number to use when there is no typed claim */
function identify(claims: JsonObject, untyped: NationalId | null): Identifier {
  const typed = [...TYPED].filter(([name]) => isPresent(claims, name));
  if (typed.length > 1) throw new TokenFault('identifier', 'two typed identifiers');
  const [first] = typed;
  const number = first === undefined ? untyped : identifierIn(claims, first[0]);
  if (number === null) throw new TokenFault('identifier', 'no identifier');
  if (othersIn(claims).some((value) => value !== null && value !== number)) {
    throw new TokenFault('identifier', 'conflicting identifiers');
  }
  const ofNumber = BY_FIRST_DIGIT.get(number.slice(0, 1));
  const documentType = first?.[1] ?? ofNumber;
  if (documentType === undefined) {
    throw new TokenFault('identifier', 'identifier of no known register');
  }
  if (ofNumber !== undefined ? documentType !== ofNumber : !VISITORS.has(documentType)) {
    throw new TokenFault('identifier', 'number of another register');
  }
  return { documentType, number };
}

/**
 * Other claims that may repeat the number. Nobody is identified by one in other digits, or in
 * groups, but it contradicts all the same.
 */
function othersIn(claims: JsonObject): readonly (NationalId | null)[] {
  const written = ['sub', 'PersonId'].map((name) => {
    const value = member(claims, name);
    return typeof value === 'string' ? parseNationalId(value) : parseNumber(value);
  });
  return [identifierIn(claims, 'nationalId'), ...written];
}

/** Providers include empty claims for other documents. */
function isPresent(claims: JsonObject, name: string): boolean {
  const value = member(claims, name);
  return value !== undefined && value !== null && value !== '';
}

function identifierIn(claims: JsonObject, name: string): NationalId | null {
  if (!isPresent(claims, name)) return null;
  const number = parseNumber(member(claims, name));
  if (number === null) throw new TokenFault('identifier', `${name} is no identifier`);
  return number;
}

/** `sub` and `PersonId` may be the provider's own opaque ids: null then. */
function numberIn(claims: JsonObject, name: 'sub' | 'PersonId'): NationalId | null {
  return parseNumber(member(claims, name));
}

/** Text in most tokens, a number in some. */
function parseNumber(value: unknown): NationalId | null {
  const digits = Number.isSafeInteger(value) ? String(value) : value;
  return typeof digits === 'string' && ASCII_DIGITS.test(digits) ? parseNationalId(digits) : null;
}
