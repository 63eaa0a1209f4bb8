import { isObject, optional, type Rule } from './options.ts';
import { idsOf, type People } from './people.ts';

/** What tells one prompt from the others: its attempt, or the person who has to answer. */
export type Which = string | { readonly id: string; readonly nationalId?: string };

export type AttemptOrId = string | { readonly id: string };

const ATTEMPT_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const NATIONAL_ID = /^\d{10}$/;

export const WHICH: Rule<Which> = optional({
  name: 'which',
  says: 'is an attempt, a person, the id of one, or a national id, as text',
  holds: isNamed,
});

export const ATTEMPT: Rule<AttemptOrId> = {
  name: 'attempt',
  says: 'is what start() resolves to, or its id, as text',
  holds: isNamed,
};

function isNamed(value: unknown): value is Which {
  if (!isObject(value)) return typeof value === 'string';
  const { id, nationalId = '' } = value;
  return typeof id === 'string' && typeof nationalId === 'string';
}

/** @returns the query of `GET /simulator/wait` that asks for it */
export function queryOf(which: Which | undefined, people: People): Record<string, string> {
  if (which === undefined) return {};
  if (typeof which === 'object' && which.nationalId !== undefined) {
    return { national_id: which.nationalId };
  }
  const text = typeof which === 'object' ? which.id : which;
  if (ATTEMPT_ID.test(text)) return { attempt_id: text.toLowerCase() };
  if (NATIONAL_ID.test(text)) return { national_id: text };
  const person = Object.hasOwn(people, text) ? people[text] : undefined;
  if (person !== undefined) return { national_id: person.nationalId };
  throw new TypeError(
    'A prompt is named by its attempt, by the id of its attempt, by a national id of ten digits, ' +
      `or by one of the people: ${idsOf(people)}.`,
  );
}

/** @throws TypeError that says what an attempt is named by */
export function attemptIdOf(attempt: AttemptOrId): string {
  const id = typeof attempt === 'object' ? attempt.id : attempt;
  if (ATTEMPT_ID.test(id)) return id.toLowerCase();
  throw new TypeError(
    'An attempt is named by its id (a UUID), or given as what start() resolves to.',
  );
}
