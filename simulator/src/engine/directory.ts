import { outcomeId } from './national-id.ts';
import { OUTCOMES, type Outcome } from './outcomes.ts';
import type { People } from './people.ts';
import { joinName, type Person, type PersonName } from './person.ts';

const USUAL_ASSURANCE = 3;

/** Everybody the provider knows: the test people, and one person for each reserved outcome. */
export class Directory {
  readonly people: People;
  readonly #byId: ReadonlyMap<string, Person>;
  readonly #byNationalId: ReadonlyMap<string, Person>;

  constructor(people: People) {
    const everybody = [...people.all, ...OUTCOMES.map(outcomePerson)];
    this.people = people;
    this.#byId = new Map(everybody.map((person) => [person.id, person]));
    this.#byNationalId = new Map(everybody.map((person) => [person.nationalId, person]));
  }

  byId(id: string): Person | null {
    return this.#byId.get(id) ?? null;
  }

  byNationalId(nationalId: string): Person | null {
    return this.#byNationalId.get(nationalId) ?? null;
  }

  /** The person who signs in when the prompt is approved and no other person is named. */
  signerFor(nationalId: string | null): Person {
    const listed = nationalId === null ? null : this.byNationalId(nationalId);
    return listed ?? this.people.fallback;
  }

  /** Another test person, or the same one if there is only one. */
  otherThan(person: Person): Person {
    return this.people.all.find(({ id }) => id !== person.id) ?? person;
  }
}

/** Each outcome has a person named after it, so that the name explains log lines. */
export function outcomePerson(outcome: Outcome): Person {
  const number = String(outcome.number).padStart(2, '0');
  return {
    id: `outcome-${number}`,
    nationalId: outcomeId(outcome.number),
    documentType: 'nin',
    arabicName: outcomeName('نتيجة', outcome.title.ar),
    englishName: outcomeName('Outcome', outcome.title.en),
    gender: 'M',
    nationality: { code: 'SA', number: 113 },
    birthDate: '1990-01-01',
    email: `outcome-${number}@example.test`,
    assuranceLevel: outcome.assuranceLevel ?? USUAL_ASSURANCE,
    preferredLocale: 'ar',
    about: outcome.title.en,
  };
}

function outcomeName(first: string, last: string): PersonName {
  const parts = { first, second: null, third: null, last };
  return { full: joinName(parts), ...parts };
}
