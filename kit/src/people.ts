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

export async function readPeople(control: ControlApi): Promise<People> {
  const listed = await control.call('listPeople');
  if (!Array.isArray(listed)) throw new Error('GET /simulator/people has listed nobody.');
  const people = listed.filter((one: unknown) => has<Person>(one, 'id', 'nationalId'));
  const byId: Record<string, Person> = Object.fromEntries(people.map((one) => [one.id, one]));
  if (hasCast(byId)) return byId;
  throw new Error('GET /simulator/people has listed nobody.');
}

/** Adds people, or changes those of the same id. @throws Error that names what is wrong */
export async function putPeople(control: ControlApi, people: readonly NewPerson[]): Promise<void> {
  for (const person of people) {
    const { default: isDefault = false } = person;
    const body = { ...person, default: isDefault };
    await control.call('putPerson', { id: person.id, body });
  }
}

/** @throws TypeError that names who is there */
export async function removePerson(control: ControlApi, id: string): Promise<void> {
  const ids = Object.keys(await readPeople(control));
  if (!ids.includes(id)) {
    const given = JSON.stringify(id) + meant(id, ids);
    throw new TypeError(
      `removePerson: id is that of one of the people: ${ids.join(', ')}; given: ${given}.`,
    );
  }
  await control.call('removePerson', { id });
}

function hasCast(
  people: Record<string, Person>,
): people is Record<BuiltIn, Person> & Record<string, Person> {
  return Object.keys(people).length > 0;
}
