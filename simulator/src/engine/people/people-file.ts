import {
  boolean,
  integer,
  list,
  nothing,
  object,
  oneOf,
  string,
  text,
  union,
  type Static,
} from '@miftah/schema';
import { faultOfJson } from '@miftah/schema/json-place';
import { checkOf } from '@miftah/schema/check';
import { isCalendarDay } from './calendar-day.ts';
import { People } from './people.ts';
import { LOCALES } from '../locale.ts';
import { DOCUMENT_TYPES, documentsFor, isReserved, NATIONAL_ID_PATTERN } from './national-id.ts';
import { GENDERS, joinName, type Person, type PersonName } from './person.ts';

/** Of one part of a name, in characters. */
export const NAME_PART_MAX = 60;
/** Each takes about two kilobytes of memory: 200,000 people are 400 MB, and 650 at the start. */
export const PEOPLE_MAX = 200_000;

const namePart = text({ minLength: 1, maxLength: NAME_PART_MAX });
const optionalPart = union(namePart, nothing());

const NameRow = object({
  full: text({ minLength: 1, maxLength: 4 * NAME_PART_MAX + 3 }),
  first: namePart,
  second: optionalPart,
  third: optionalPart,
  last: optionalPart,
});

/** One person in the people file and in the control API. */
export const PersonRow = object({
  id: string({ pattern: '^[a-z][a-z0-9-]{0,31}$', examples: ['amal'] }),
  default: boolean(),
  about: text({ minLength: 1, maxLength: 80 }),
  national_id: string({ pattern: NATIONAL_ID_PATTERN, examples: ['1000001101'] }),
  document_type: oneOf(DOCUMENT_TYPES),
  arabic_name: NameRow,
  english_name: NameRow,
  gender: oneOf(GENDERS),
  nationality: object({
    code: string({ pattern: '^[A-Z]{2}$', examples: ['SA'] }),
    number: integer({ minimum: 1, maximum: 999 }),
  }),
  birth_date: string({ pattern: String.raw`^\d{4}-\d{2}-\d{2}$`, examples: ['1990-04-12'] }),
  email: string({
    pattern: String.raw`^[^@\s\0\ud800-\udfff]+@[^@\s\0\ud800-\udfff]+$`,
    maxLength: 254,
    examples: ['amal@example.test'],
  }),
  assurance_level: integer({ minimum: 0, maximum: 9 }),
  preferred_locale: oneOf(LOCALES),
});
export type PersonRow = Static<typeof PersonRow>;

const Cast = checkOf(object({ people: list(PersonRow, { minItems: 1, maxItems: PEOPLE_MAX }) }));
const Row = checkOf(PersonRow);

export class PeopleError extends Error {
  readonly faults: readonly string[];

  /** @param file the name of it, where there is one */
  constructor(faults: readonly string[], file = '') {
    const name = file === '' ? '' : ` ${file}`;
    const listed = faults.map((fault) => `  - ${fault}`).join('\n');
    super(`The people file${name} can't be used:\n${listed}`);
    this.name = 'PeopleError';
    this.faults = faults;
  }
}

/** @throws PeopleError that lists the faults */
export function parsePeople(json: string): People {
  try {
    return peopleFrom(JSON.parse(json));
  } catch (error) {
    // The message of the parser would repeat the content of the file.
    if (error instanceof SyntaxError) {
      throw new PeopleError([`it is not valid JSON: ${faultOfJson(json)}`]);
    }
    throw error;
  }
}

/** @throws PeopleError that lists the faults */
export function peopleFrom(data: unknown): People {
  if (!Cast.holds(data)) {
    throw new PeopleError(Cast.faults(data));
  }
  return peopleOf(data.people);
}

/** @throws PeopleError that lists the faults */
export function peopleOf(rows: readonly PersonRow[]): People {
  const faults = castFaults(rows);
  const chosen = rows.find((row) => row.default);
  if (faults.length > 0 || chosen === undefined) throw new PeopleError(faults);
  const all = rows.map(personFrom);
  return People.of(all, all[rows.indexOf(chosen)] ?? personFrom(chosen));
}

/**
 * The same people with one added or changed. Who is the default from now on takes it over from who
 * was.
 * @param data a row of the people file, which need not repeat the id
 * @throws PeopleError that lists the faults; each begins with its member: `/national_id: ...`
 */
export function withPerson(people: People, id: string, data: unknown): People {
  const row: unknown = isObject(data) ? { id, ...data } : data;
  if (!Row.holds(row)) throw new PeopleError(Row.faults(row));
  const person = personFrom(row);
  const next = people.with(person, row.default ? person : people.fallback);
  const owner = people.byNationalId(person.nationalId);
  const isOthers = owner !== null && owner.id !== id;
  const faults = [
    ...(row.id === id ? [] : [`/id: must be ${id}, as in the address, or left out`]),
    ...(people.fallback.id === id && !row.default ? [ONE_DEFAULT] : []),
    ...(next.count > PEOPLE_MAX ? [`there can be ${PEOPLE_MAX} people`] : []),
    ...(isOthers ? [`/national_id: ${row.national_id} is somebody else's`] : []),
    ...personFaults(row),
  ];
  if (faults.length > 0) throw new PeopleError(faults);
  return next;
}

const ONE_DEFAULT =
  '/default: must be true, because somebody has to be the default; to let another be it, put them ' +
  'with "default": true';

/** The same people without one, who must be known and not the default. */
export function withoutPerson(people: People, id: string): People {
  return people.without(id);
}

function isObject(data: unknown): data is object {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}

function castFaults(rows: readonly PersonRow[]): readonly string[] {
  const defaults = rows.filter((row) => row.default).length;
  return [
    ...(defaults === 1 ? [] : [`exactly one person must be the default, not ${defaults}`]),
    ...repeated(rows.map((row) => row.id)).map((id) => `the id ${id} is there twice`),
    ...repeated(rows.map((row) => row.national_id)).map((id) => `national_id ${id} is there twice`),
    ...rows.flatMap((row) => personFaults(row).map((fault) => `${row.id}: ${fault.slice(1)}`)),
  ];
}

function repeated(values: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return [...new Set(values.filter((value) => seen.size === seen.add(value).size))];
}

/** Each begins with the member of the row that it is about. */
function personFaults(row: PersonRow): readonly string[] {
  const checks: ReadonlyArray<readonly [boolean, string]> = [
    [
      !isReserved(row.national_id),
      `/national_id: ${row.national_id} is reserved: 1999999999 and those that begin with 19000000 are`,
    ],
    [!row.id.startsWith('outcome-'), '/id: must not begin with outcome-'],
    [
      documentsFor(row.national_id).includes(row.document_type),
      `/document_type: a number beginning with ${row.national_id.charAt(0)} is not a ${row.document_type} number`,
    ],
    [row.arabic_name.full === joinName(row.arabic_name), '/arabic_name/full: is not its parts'],
    [row.english_name.full === joinName(row.english_name), '/english_name/full: is not its parts'],
    [isCalendarDay(row.birth_date), `/birth_date: ${row.birth_date} is not a day`],
  ];
  return checks.filter(([holds]) => !holds).map(([, fault]) => fault);
}

/** @param row that a check has found to be one */
export function personFrom(row: PersonRow): Person {
  return {
    id: row.id,
    nationalId: row.national_id,
    documentType: row.document_type,
    arabicName: nameFrom(row.arabic_name),
    englishName: nameFrom(row.english_name),
    gender: row.gender,
    nationality: { code: row.nationality.code, number: row.nationality.number },
    birthDate: row.birth_date,
    email: row.email,
    assuranceLevel: row.assurance_level,
    preferredLocale: row.preferred_locale,
    about: row.about,
  };
}

function nameFrom({ full, first, second, third, last }: PersonName): PersonName {
  return { full, first, second, third, last };
}

/** The inverse of `personFrom`: the person's row in the people file. */
export function personRow(person: Person, people: People): PersonRow {
  return {
    id: person.id,
    default: person.id === people.fallback.id,
    about: person.about,
    national_id: person.nationalId,
    document_type: person.documentType,
    arabic_name: { ...person.arabicName },
    english_name: { ...person.englishName },
    gender: person.gender,
    nationality: { ...person.nationality },
    birth_date: person.birthDate,
    email: person.email,
    assurance_level: person.assuranceLevel,
    preferred_locale: person.preferredLocale,
  };
}
