import { member, type JsonObject } from '../strict-json.ts';
import { TokenFault } from '../token/token-fault.ts';

export interface Names {
  readonly arabicName: string;
  readonly englishName: string;
}

const NAME_LENGTH = 400;

type Parts = readonly string[];

/** The claims that, by reports, contain the name in one language. */
interface NameForms {
  /** The claims with the full name. */
  readonly whole: readonly string[];
  /** The name's parts in order: in one group for each form in which providers are reported to give them. */
  readonly parts: readonly Parts[];
  /** Alternative claims for the first part. */
  readonly first: readonly string[];
  /** Whether a translated name in these letters is the name in this language. */
  readonly isWrittenSo: (name: string) => boolean;
}

/**
 * A visitor's translated name is in either language: reports disagree. It stands in where no other
 * claim has the name in the language of its letters.
 */
const TRANSLATED: Parts = [
  'translatedFirstName',
  'translatedSecondName',
  'translatedThirdName',
  'translatedLastName',
];

const ARABIC_LETTER = /\p{Script=Arabic}/u;

const ENGLISH: NameForms = {
  whole: ['englishName', 'name_en'],
  parts: [
    ['englishFirstName', 'englishSecondName', 'englishThirdName', 'englishLastName'],
    ['englishFirstName', 'englishFatherName', 'englishGrandFatherName', 'englishFamilyName'],
  ],
  first: ['englishFirstName'],
  isWrittenSo: (name) => !ARABIC_LETTER.test(name),
};

const ARABIC: NameForms = {
  whole: ['arabicName', 'name_ar'],
  parts: [
    ['arabicFirstName', 'arabicFatherName', 'arabicGrandFatherName', 'arabicFamilyName'],
    ['firstName', 'fatherName', 'grandFatherName', 'familyName'],
    ['firstName', 'secondName', 'thirdName', 'lastName'],
  ],
  first: ['arabicFirstName', 'firstName'],
  isWrittenSo: (name) => ARABIC_LETTER.test(name),
};

/**
 * The full name if the provider gives it, otherwise its parts in order, from the group of claims of
 * which most are filled. If one language has no name, the other one's is used. Null when there is
 * no name at all. @throws TokenFault when two forms contradict each other
 */
export function readNames(claims: JsonObject): Names | null {
  const arabic = readName(ARABIC, claims);
  const english = readName(ENGLISH, claims);
  if (arabic === '' && english === '') return null;
  return { arabicName: arabic || english, englishName: english || arabic };
}

function readName({ whole, parts, first, isWrittenSo }: NameForms, claims: JsonObject): string {
  const names = filledIn(whole, claims);
  const firsts = filledIn(first, claims);
  if (areDifferent(names) || areDifferent(firsts)) throw new TokenFault('name', 'two names');
  const [name = ''] = names;
  const [firstName = ''] = firsts;
  // A full name may omit or abbreviate parts, but it begins with the person's first name.
  if (name !== '' && !beginsWith(name, firstName)) throw new TokenFault('name', 'two names');
  const translated = joinParts(TRANSLATED, claims);
  return name || fullest(parts, claims) || (isWrittenSo(translated) ? translated : '');
}

function filledIn(claimNames: readonly string[], claims: JsonObject): readonly string[] {
  return claimNames.map((one) => joinParts([one], claims)).filter((text) => text !== '');
}

function areDifferent(names: readonly string[]): boolean {
  return new Set(names.map(comparable)).size > 1;
}

function beginsWith(name: string, first: string): boolean {
  return first === '' || `${comparable(name)} `.startsWith(`${comparable(first)} `);
}

/** Registers write English names in capitals, and letters in more than one encoding. */
function comparable(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

function fullest(groups: readonly Parts[], claims: JsonObject): string {
  const ranked = groups.map((parts) => ({
    filled: parts.filter((part) => partIn(claims, part) !== '').length,
    name: joinParts(parts, claims),
  }));
  return ranked.reduce((best, one) => (one.filled > best.filled ? one : best)).name;
}

function joinParts(parts: Parts, claims: JsonObject): string {
  const name = parts
    .map((part) => partIn(claims, part))
    .filter((part) => part !== '')
    .join(' ');
  if (name.length > NAME_LENGTH) throw new TokenFault('name', 'name too long');
  return name;
}

/**
 * Collapses whitespace, also around invisible characters, which are removed. Registers write a single
 * dash for "none".
 */
function partIn(claims: JsonObject, name: string): string {
  const value = member(claims, name);
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw new TokenFault('name', `${name} is not text`);
  const text = value
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, (unseen) => (/\s/.test(unseen) ? ' ' : ''))
    .trim();
  return text === '-' ? '' : text;
}
