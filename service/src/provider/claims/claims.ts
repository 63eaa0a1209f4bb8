import type { Flow } from '../../attempt/flow.ts';
import { UNKNOWN_GENDER, type Gender, type ReportedPerson } from '../../account/user.ts';
import { member, textMember, type JsonObject } from '../strict-json.ts';
import { TokenFault } from '../token/token-fault.ts';
import { readBirthDate } from './birth-date.ts';
import { readIdentifier, readThinIdentifier } from './identifier.ts';
import { readNames } from './names.ts';
import { readNationality } from './nationality.ts';

export interface ClaimReading {
  readonly flow: Flow;
  /** The name of the provider, which is part of a user's key (decision 0002). */
  readonly issuer: string;
  readonly nationalities: ReadonlyMap<number, string>;
}

const HIGHEST_ASSURANCE = 99;
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,189}$/;

/** Converts the verified claims of either flow's token to a person. @throws TokenFault */
export function toPerson(
  claims: JsonObject,
  { flow, issuer, nationalities }: ClaimReading,
): ReportedPerson {
  const names = readNames(claims);
  // Tokens for some services contain no names, but only those of pushes (decision 0036).
  if (names === null && flow === 'oidc') throw new TokenFault('name', 'no name');
  const { documentType, number } =
    names === null ? readThinIdentifier(claims) : readIdentifier(claims, flow);
  const birthDate = readBirthDate(claims);
  return {
    issuer,
    documentType,
    documentNumber: number,
    nationalId: number,
    ...(names ?? { arabicName: '', englishName: '' }),
    email: readEmail(claims),
    nationality: readNationality(claims, nationalities),
    gender: readGender(claims),
    assuranceLevel: readAssurance(claims),
    ...(birthDate === null ? {} : { birthDate }),
  };
}

/** In the language of the session, as the provider writes them. */
const GENDERS: ReadonlyMap<string, Gender> = new Map([
  ['m', 'M'],
  ['male', 'M'],
  ['ذكر', 'M'],
  ['f', 'F'],
  ['female', 'F'],
  ['أنثى', 'F'],
  ['انثى', 'F'],
]);

/** Unknown where the token does not say: nothing depends on it, and tokens of both flows lack it. */
function readGender(claims: JsonObject): Gender {
  const stated = member(claims, 'gender');
  if (stated === undefined || stated === null || stated === '') return UNKNOWN_GENDER;
  const gender = typeof stated === 'string' ? GENDERS.get(stated.trim().toLowerCase()) : undefined;
  if (gender === undefined) throw new TokenFault('gender');
  return gender;
}

/** If two levels are stated, the lower one counts; if none is, the lowest level. */
function readAssurance(claims: JsonObject): number {
  const stated = ['assurance_level', 'acr'].flatMap((name) => {
    const level = member(claims, name);
    if (level === undefined || level === null || level === '') return [];
    return [parseLevel(level)];
  });
  return stated.length === 0 ? 0 : Math.min(...stated);
}

function parseLevel(level: unknown): number {
  const number = typeof level === 'string' && /^\d{1,2}$/.test(level) ? Number(level) : level;
  const isLevel = typeof number === 'number' && Number.isSafeInteger(number);
  if (!isLevel || number < 0 || number > HIGHEST_ASSURANCE) {
    throw new TokenFault('assurance', 'assurance level');
  }
  return number;
}

function readEmail(claims: JsonObject): string | null {
  const email = textMember(claims, 'email');
  return email !== undefined && EMAIL.test(email) ? email : null;
}
