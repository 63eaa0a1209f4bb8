import { member, type JsonObject } from '../json/strict-json.ts';
import { TokenFault } from '../token/token-fault.ts';

export interface Names {
  readonly arabicName: string;
  readonly englishName: string;
}

const NAME_LENGTH = 400;

type Parts = readonly string[];

/** In the redirect flow, and in the phone flow. */
const ENGLISH_PARTS: readonly Parts[] = [
  ['englishFirstName', 'englishSecondName', 'englishThirdName', 'englishLastName'],
  ['englishFirstName', 'englishFatherName', 'englishGrandFatherName', 'englishFamilyName'],
];
/** In the redirect flow; then in the phone flow, of citizens, residents and visitors. */
const ARABIC_PARTS: readonly Parts[] = [
  ['arabicFirstName', 'arabicFatherName', 'arabicGrandFatherName', 'arabicFamilyName'],
  ['firstName', 'fatherName', 'grandFatherName', 'familyName'],
  ['firstName', 'secondName', 'thirdName', 'lastName'],
  ['translatedFirstName', 'translatedSecondName', 'translatedThirdName', 'translatedLastName'],
];

/**
 * The whole name where the provider gives it, else its parts in order; the parts that most of the
 * claims fill are the document's own. Where one language has nothing the other one stands in.
 * @throws TokenFault when there is no name at all
 */
export function readNames(claims: JsonObject): Names {
  const arabic = joinParts(['arabicName'], claims) || fullest(ARABIC_PARTS, claims);
  const english = joinParts(['englishName'], claims) || fullest(ENGLISH_PARTS, claims);
  if (arabic === '' && english === '') throw new TokenFault('no name');
  return { arabicName: arabic || english, englishName: english || arabic };
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
  if (name.length > NAME_LENGTH) throw new TokenFault('name too long');
  return name;
}

/** Blanks together, nothing invisible; a lone dash is how registers write "none". */
function partIn(claims: JsonObject, name: string): string {
  const value = member(claims, name);
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw new TokenFault(`${name} is not text`);
  const text = value
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .trim();
  return text === '-' ? '' : text;
}
