import { SEED_LIMIT } from '../engine/outcomes/faults.ts';
import type { DocumentType } from '../engine/people/national-id.ts';
import { BUILT_IN_PEOPLE } from '../engine/people/built-in-people.ts';
import { People } from '../engine/people/people.ts';
import { personFrom, type PersonRow } from '../engine/people/people-file.ts';
import type { Gender, Nationality } from '../engine/people/person.ts';
import { Draws } from './draws.ts';
import { drawName, NAME_CASES, type NameCase } from './names.ts';
import { ARAB, EUROPEAN, SOUTH_ASIAN, SOUTH_EAST_ASIAN, type Names } from './vocabulary.ts';

export { PEOPLE_MAX } from '../engine/people/people-file.ts';

/** What decides a population: the same options give the same people on every machine, always. */
export interface PopulationOptions {
  /** 1 to `MOST_GENERATED`. */
  readonly count: number;
  /** 0 to `MOST_SEED`. */
  readonly seed: number;
}

/** Far more than a simulator loads. Each has a number of its own up to eight times as many. */
export const MOST_GENERATED = 10_000_000;
export const MOST_SEED: number = SEED_LIMIT - 1;

/** Each document by its share of a thousand, with the first digit of its numbers. */
const DOCUMENTS = [
  ['nin', 700],
  ['iqama', 250],
  ['visa', 30],
  ['border', 20],
] as const satisfies ReadonlyArray<readonly [DocumentType, number]>;
const FIRST_DIGIT: Readonly<Record<DocumentType, number>> = {
  nin: 1,
  iqama: 2,
  visa: 3,
  border: 4,
};

/** Ages in years, from the lowest to the highest, by the share of a thousand. */
const AGES: ReadonlyArray<readonly [range: readonly [number, number], share: number]> = [
  [[1, 13], 150],
  [[18, 39], 500],
  [[40, 64], 275],
  [[65, 89], 70],
  [[90, 110], 5],
];
const ADULT = 18;
/** The one at the end of which they have their ages. Its minors are minors for four years more. */
const YEAR = 2025;

const SAUDI: Nationality = { code: 'SA', number: 113 };
/** The numbers are made up, as in people.json, which has the first six. */
const COUNTRIES: ReadonlyArray<readonly [code: string, number: number, names: Names]> = [
  ['ID', 901, SOUTH_EAST_ASIAN],
  ['IE', 902, EUROPEAN],
  ['PK', 903, SOUTH_ASIAN],
  ['JO', 904, ARAB],
  ['DE', 905, EUROPEAN],
  ['MA', 906, ARAB],
  ['IN', 907, SOUTH_ASIAN],
  ['EG', 908, ARAB],
  ['PH', 909, SOUTH_EAST_ASIAN],
  ['BD', 910, SOUTH_ASIAN],
  ['YE', 911, ARAB],
  ['FR', 912, EUROPEAN],
];

/**
 * The people of a population, in their order. The nth person depends on the seed and on n alone, so
 * that a smaller population of the same seed is the beginning of a larger one.
 */
export function* population({ count, seed }: PopulationOptions): Generator<PersonRow> {
  const serials = serialsOf(seed);
  for (let person = 1; person <= count; person += 1) yield personOf(seed, person, serials);
}

/** The test people, and those of a population. */
export function withPopulation(options: PopulationOptions): People {
  const { all, fallback } = BUILT_IN_PEOPLE;
  return People.of([...all, ...population(options).map(personFrom)], fallback);
}

/** A people file, in pieces, with a person in each line. The first one is the default. */
export function* peopleFile(options: PopulationOptions): Generator<string> {
  let lines: string[] = [];
  let begin = '{"people":[\n';
  for (const row of population(options)) {
    lines.push(JSON.stringify(row.id === idOf(1) ? { ...row, default: true } : row));
    if (lines.length < LINES_OF_PIECE) continue;
    yield begin + lines.join(',\n');
    [begin, lines] = [',\n', []];
  }
  yield `${lines.length === 0 ? '' : begin + lines.join(',\n')}\n]}\n`;
}

const LINES_OF_PIECE = 500;

const idOf = (person: number): string => `person-${person}`;

function personOf(seed: number, person: number, serials: Serials): PersonRow {
  const draws = new Draws(seed, person);
  const document = draws.byShare<DocumentType>(DOCUMENTS);
  const gender: Gender = draws.below(2) === 0 ? 'M' : 'F';
  const [youngest, oldest] = draws.byShare(AGES);
  const age = youngest + draws.below(oldest - youngest + 1);
  const kind = draws.byShare<NameCase>(NAME_CASES);
  const [code, number, names] = draws.oneOf(COUNTRIES);
  const isCitizen = document === 'nin';
  const { arabic, english } = drawName(draws, kind, { gender, names: isCitizen ? ARAB : names });
  return {
    id: idOf(person),
    default: false,
    about: aboutOf({ document, gender, isMinor: age < ADULT, kind }),
    national_id: numberOf(draws, `${FIRST_DIGIT[document]}${serials(person)}`),
    document_type: document,
    arabic_name: arabic,
    english_name: english,
    gender,
    nationality: isCitizen ? { ...SAUDI } : { code, number },
    birth_date: birthDate(draws, age),
    email: `${idOf(person)}@example.test`,
    assurance_level: assuranceOf(document, age < ADULT),
    preferred_locale: isCitizen || names === ARAB ? 'ar' : 'en',
  };
}

/** As the test people have it: three for grown-up citizens. */
function assuranceOf(document: DocumentType, isMinor: boolean): number {
  if (document === 'nin') return isMinor ? 2 : 3;
  return document === 'iqama' ? 2 : 1;
}

const REGISTERS: Readonly<Record<DocumentType, string>> = {
  nin: 'Citizen',
  iqama: 'Resident',
  visa: 'Visitor',
  border: 'Visitor',
};
const NOTES: Readonly<Record<NameCase, string>> = {
  plain: '',
  long: '; very long name',
  single: '; single-word name',
  apostrophe: '; apostrophe in the name',
  hyphen: '; hyphen in the name',
  marks: '; combining marks in the name',
};

interface Kind {
  readonly document: DocumentType;
  readonly gender: Gender;
  readonly isMinor: boolean;
  readonly kind: NameCase;
}

/** The console has each half of it in Arabic. */
function aboutOf({ document, gender, isMinor, kind }: Kind): string {
  const who = gender === 'M' ? (isMinor ? 'boy' : 'man') : isMinor ? 'girl' : 'woman';
  return `${REGISTERS[document]}, ${who}${NOTES[kind]}`;
}

const DAY_MS = 86_400_000;

/** A day of the year in which they became so old. */
function birthDate(draws: Draws, age: number): string {
  const begin = Date.UTC(YEAR - age, 0, 1);
  const days = (Date.UTC(YEAR - age + 1, 0, 1) - begin) / DAY_MS;
  return new Date(begin + draws.below(days) * DAY_MS).toISOString().slice(0, 10);
}

/** Eight digits, of which the first is 1 to 8. */
const FIRST_SERIAL = 10_000_000;
const SERIALS = 80_000_000;
/** Those without a divisor in common with the number of serials. */
const LAST_DIGITS = [1, 3, 7, 9];

type Serials = (person: number) => number;

/** The serials of a seed: all different, because the step meets each before it meets one again. */
function serialsOf(seed: number): Serials {
  const draws = new Draws(seed, 0);
  const start = draws.below(SERIALS);
  const step = 10 * draws.below(SERIALS / 10) + draws.oneOf(LAST_DIGITS);
  return (person) => FIRST_SERIAL + ((start + person * step) % SERIALS);
}

/**
 * A number that nobody holds, because the digit of its checksum is wrong. The second of its ten digits
 * is neither 0 nor 9, which those of the test people and the reserved ones have there.
 */
function numberOf(draws: Draws, digits: string): string {
  const wrong = (checkDigit(digits) + 1 + draws.below(9)) % 10;
  return `${digits}${wrong}`;
}

/** The last digit that real numbers of this form have (Luhn). */
function checkDigit(digits: string): number {
  const doubled = Array.from(digits, (digit, at) => Number(digit) * (at % 2 === 0 ? 2 : 1));
  const sum = doubled.reduce((total, value) => total + (value > 9 ? value - 9 : value), 0);
  return (10 - (sum % 10)) % 10;
}
