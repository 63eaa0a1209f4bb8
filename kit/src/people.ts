import { ControlError } from '@miftah/contract/control-client';
import { meant } from '@miftah/schema/nearest';
import type { ControlApi } from './control-api.ts';
import { ANYTHING, dataOf, optional, textThat, type Rule } from './options.ts';
import { has } from './wire.ts';

export interface PersonName {
  readonly full: string;
  readonly first: string;
  readonly second: string | null;
  readonly third: string | null;
  readonly last: string | null;
}

/** An invented person who can sign in at the simulator. */
export interface Person {
  /** A short name that never changes: `amal`. */
  readonly id: string;
  /** Whether this is who signs in when nobody is named. One person is. */
  readonly default: boolean;
  readonly about: string;
  /** Ten digits. */
  readonly nationalId: string;
  readonly documentType: 'nin' | 'iqama' | 'visa' | 'border';
  readonly arabicName: PersonName;
  readonly englishName: PersonName;
  readonly gender: 'M' | 'F';
  readonly nationality: { readonly code: string; readonly number: number };
  /** YYYY-MM-DD. */
  readonly birthDate: string;
  readonly email: string;
  readonly assuranceLevel: number;
  readonly preferredLocale: 'ar' | 'en';
}

/** A person to add, or one of the same `id` to change. */
export type NewPerson = Omit<Person, 'default'> & { readonly default?: boolean | undefined };

type BuiltIn =
  | 'amal'
  | 'faisal'
  | 'yara'
  | 'abdulrahman'
  | 'kusuma'
  | 'siobhan'
  | 'imran'
  | 'tala'
  | 'lukas'
  | 'hanae';

/** The people by their ids. Those that every instance has are named. */
export type People = Readonly<Record<BuiltIn, Person>> & Readonly<Record<string, Person>>;

/** What is wrong with other values says the instance. */
export const PERSON: Rule<NewPerson> = dataOf<NewPerson>('is a person', {
  id: textThat('is the short name of a person, such as amal'),
  default: optional(ANYTHING),
  about: ANYTHING,
  nationalId: ANYTHING,
  documentType: ANYTHING,
  arabicName: ANYTHING,
  englishName: ANYTHING,
  gender: ANYTHING,
  nationality: ANYTHING,
  birthDate: ANYTHING,
  email: ANYTHING,
  assuranceLevel: ANYTHING,
  preferredLocale: ANYTHING,
});

/** Which invented people beside the test people: the same options are the same ones. */
export interface Population {
  readonly count: number;
  readonly seed: number;
}

export const USUAL_SEED = 1;
/** Each test that starts an instance reads all of them. */
const MOST_INVENTED = 100_000;
const MOST_SEED = 4_294_967_295;

export const PEOPLE: Rule<readonly NewPerson[] | number> = {
  says: `is a list of people, or how many to invent, 1 to ${MOST_INVENTED}`,
  holds: (value): value is readonly NewPerson[] | number =>
    Array.isArray(value) || isWhole(value, 1, MOST_INVENTED),
  each: PERSON,
};

export const SEED: Rule<number> = {
  says: `is a whole number from 0 to ${MOST_SEED}`,
  holds: (value): value is number => isWhole(value, 0, MOST_SEED),
};

function isWhole(value: unknown, least: number, most: number): boolean {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
}

/** As many as one answer has. */
const PAGE = 1000;

export async function readPeople(control: ControlApi): Promise<People> {
  const byId: Record<string, Person> = {};
  for (let after: string | undefined; ;) {
    const listed = await control.call('listPeople', { query: { after } });
    if (!Array.isArray(listed)) throw new Error('GET /simulator/people has listed nobody.');
    const people = listed.filter((one: unknown) => has<Person>(one, 'id', 'nationalId'));
    for (const one of people) byId[one.id] = one;
    after = people.at(-1)?.id;
    if (people.length < PAGE) break;
  }
  if (hasCast(byId)) return byId;
  throw new Error('GET /simulator/people has listed nobody.');
}

/** Adds people, or changes those of the same id. @throws Error that names what is wrong */
export async function putPeople(
  control: ControlApi,
  people: readonly NewPerson[],
): Promise<Change> {
  const put: Person[] = [];
  for (const person of people) {
    const body = { ...person, default: person.default ?? false };
    const answer = await control.call('putPerson', { id: person.id, body });
    if (!has<Person>(answer, 'id', 'default')) throw new Error('putPerson has put nobody.');
    put.push(answer);
  }
  return (known) => put.reduce(withPerson, known);
}

/** What a call has changed. Others may have changed the people while it was under way. */
type Change = (people: People) => People;

function withPerson(people: People, put: Person): People {
  const former = put.default ? Object.values(people).find((person) => person.default) : undefined;
  const others = former === undefined ? {} : { [former.id]: { ...former, default: false } };
  return { ...people, ...others, [put.id]: put };
}

/** @param people whom an error names @throws TypeError that names who is there */
export async function removePerson(
  control: ControlApi,
  id: string,
  people: People,
): Promise<Change> {
  await control.call('removePerson', { id }).catch((error: unknown) => {
    throw isNobody(error) ? nobody(id, people) : error;
  });
  return (known) => {
    const { [id]: _removed, ...others } = known;
    return hasCast(others) ? others : known;
  };
}

/** What an id that is none is refused with, and one of nobody. */
const NOBODY: ReadonlySet<unknown> = new Set(['people.not_found', 'validation.failed']);

function isNobody(error: unknown): boolean {
  return (
    error instanceof Error && error.cause instanceof ControlError && NOBODY.has(error.cause.code)
  );
}

function nobody(id: string, people: People): TypeError {
  const given = JSON.stringify(id) + meant(id, Object.keys(people));
  return new TypeError(
    `removePerson: id is that of one of the people: ${idsOf(people)}; given: ${given}.`,
  );
}

/** An error is a few lines. */
const MOST_NAMED = 20;

/** The ids of the people, for an error. */
export function idsOf(people: People): string {
  const ids = Object.keys(people);
  const others = ids.length - MOST_NAMED;
  const named = ids.slice(0, MOST_NAMED).join(', ');
  return others > 0 ? `${named} and ${others} others` : named;
}

function hasCast(
  people: Record<string, Person>,
): people is Record<BuiltIn, Person> & Record<string, Person> {
  return Object.keys(people).length > 0;
}
