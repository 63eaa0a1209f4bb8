import { createHash } from 'node:crypto';
import { BUILT_IN_PEOPLE } from './built-in-people.ts';
import { outcomeId } from './national-id.ts';
import { type Outcome, OUTCOMES } from '../outcomes/outcomes.ts';
import type { People } from './people.ts';
import { joinName, type Person, type PersonName } from './person.ts';

const USUAL_ASSURANCE = 3;

/**
 * Everybody the provider knows: the test people, and one person for each reserved outcome. A value:
 * a change makes a new one.
 *
 * It also remembers whom it has removed, by the number that they had, so that what began for somebody
 * before ends with them and with nobody else.
 */
export class Directory {
  readonly people: People;
  readonly #former: ReadonlyMap<string, Person>;

  constructor(people: People, before: Directory | null = null) {
    this.people = people;
    this.#former = before === null ? new Map() : before.#formerTo(people);
  }

  /** How many people it keeps who were not there at the start, or are there no more. */
  get changes(): number {
    return this.people.changes + this.#former.size;
  }

  byId(id: string): Person | null {
    return this.people.byId(id) ?? OUTCOMES_BY_ID.get(id) ?? null;
  }

  /** Whoever has or had this id, the present one first. */
  everBeing(id: string): readonly Person[] {
    const present = this.byId(id);
    const former = [...this.#former.values()].filter((person) => person.id === id);
    return present === null ? former : [present, ...former];
  }

  byNationalId(nationalId: string): Person | null {
    return this.people.byNationalId(nationalId) ?? OUTCOMES_BY_NUMBER.get(nationalId) ?? null;
  }

  /** Whether somebody had this number, and nobody has it now. */
  isFormer(nationalId: string): boolean {
    return this.#former.has(nationalId);
  }

  /** Who has or had this number; null if nobody ever did. */
  ownerOf(nationalId: string): Person | null {
    return this.byNationalId(nationalId) ?? this.#former.get(nationalId) ?? null;
  }

  /** The person who signs in when the prompt is approved and no other person is named. */
  signerFor(nationalId: string | null): Person {
    const owner = nationalId === null ? null : this.ownerOf(nationalId);
    return owner ?? this.people.fallback;
  }

  /** Another test person, or the same one if there is only one. */
  otherThan(person: Person): Person {
    for (const other of this.people) if (other.id !== person.id) return other;
    return person;
  }

  /** Whom the people of after it have removed, by the number that nobody has any more. */
  #formerTo(after: People): ReadonlyMap<string, Person> {
    const ids = new Set([...this.people.changedIds, ...after.changedIds]);
    const before = [...ids].map((id) => this.people.byId(id)).filter((person) => person !== null);
    const known = [...this.#former.values(), ...before];
    const gone = known.filter(({ nationalId }) => after.byNationalId(nationalId) === null);
    return new Map(gone.map((person) => [person.nationalId, person]));
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

const OUTCOME_PEOPLE = OUTCOMES.map(outcomePerson);
const OUTCOMES_BY_ID = new Map(OUTCOME_PEOPLE.map((person) => [person.id, person]));
const OUTCOMES_BY_NUMBER = new Map(OUTCOME_PEOPLE.map((person) => [person.nationalId, person]));

/**
 * Keeps who signs in on the approval of a request: people change at run time, and the request may end
 * after that. It ends as the person of its start, or as nobody.
 *
 * Names a person by id and national id, for example `amal:` and 22 characters of Base64url. It has
 * only a digest of the national id, so a search of the store for a number finds none. That protects
 * nobody real: whoever has the digest can try all numbers, and the people here are invented.
 */
export type PersonMark = string;

/** Whom a prompt is for. */
export interface Asked {
  readonly signer: Person;
  /** Whether the number that was asked is the signer's. Otherwise anybody may approve. */
  readonly isOwner: boolean;
}

/** The people of the simulator itself. */
const BUILT_IN = new Directory(BUILT_IN_PEOPLE);
const DIGEST_LENGTH = 22;

/** Stands in for a person who is not known any more. Whoever approves as nobody is refused. */
const NOBODY: Person = {
  ...BUILT_IN_PEOPLE.fallback,
  id: 'nobody-known',
  nationalId: '',
};

export function isNobody({ nationalId }: Person): boolean {
  return nationalId === NOBODY.nationalId;
}

export function markOf({ id, nationalId }: Pick<Person, 'id' | 'nationalId'>): PersonMark {
  const digest = createHash('sha256').update(`person ${nationalId}`).digest('base64url');
  return `${id}:${digest.slice(0, DIGEST_LENGTH)}`;
}

/** The person with this mark, also one who was removed; nobody, if another has the id or the number. */
function personWith(mark: PersonMark, directory: Directory): Person {
  const [id = ''] = mark.split(':');
  return directory.everBeing(id).find((person) => markOf(person) === mark) ?? NOBODY;
}

/** Whom a decision of before has named; null for nobody. */
export function personNamed(mark: PersonMark | null, directory: Directory): Person | null {
  return mark === null ? null : personWith(mark, directory);
}

/**
 * What a request has to keep of the person whom it is for; null for those of the simulator itself,
 * who are the same after a reset, a restart and with another people file.
 */
export function signerToKeep(nationalId: string | null, directory: Directory): PersonMark | null {
  const signer = directory.signerFor(nationalId);
  const { id, nationalId: number } = BUILT_IN.signerFor(nationalId);
  return signer.id === id && signer.nationalId === number ? null : markOf(signer);
}

/** @param kept what `signerToKeep` gave when the request began */
export function askedAtStart(
  nationalId: string | null,
  kept: PersonMark | null,
  directory: Directory,
): Asked {
  if (kept !== null) {
    const signer = personWith(kept, directory);
    const [id = ''] = kept.split(':');
    return { signer, isOwner: nationalId !== null && markOf({ id, nationalId }) === kept };
  }
  const builtIn = BUILT_IN.signerFor(nationalId);
  const found = directory
    .everBeing(builtIn.id)
    .find((person) => person.nationalId === builtIn.nationalId);
  return { signer: found ?? builtIn, isOwner: builtIn.nationalId === nationalId };
}

/** For a request that begins now. */
export function askedNow(nationalId: string | null, directory: Directory): Asked {
  const signer = directory.signerFor(nationalId);
  return { signer, isOwner: signer.nationalId === nationalId };
}
