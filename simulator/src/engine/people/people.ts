import { folded } from '@miftah/contract/folded';
import type { Person } from './person.ts';

/** Which people of all, in their order. */
export interface Wanted {
  /** In the id, the number, a name or the note; empty for everybody. */
  readonly search: string;
  /** The id of the person before the first one; null: from the beginning. */
  readonly after: string | null;
  readonly limit: number;
}

/** The people of the start, which all scopes share. */
class Start {
  readonly all: readonly Person[];
  readonly byId: ReadonlyMap<string, Person>;
  readonly byNationalId: ReadonlyMap<string, Person>;
  /** What a search looks into, once one has looked. */
  readonly #texts = new Map<Person, string>();

  constructor(all: readonly Person[]) {
    this.all = all;
    this.byId = new Map(all.map((person) => [person.id, person]));
    this.byNationalId = new Map(all.map((person) => [person.nationalId, person]));
  }

  /** To fold 100,000 people takes half a second, so each is folded once. */
  textOf(person: Person): string {
    const known = this.#texts.get(person);
    if (known !== undefined) return known;
    const { id, nationalId, arabicName, englishName, about } = person;
    const text = folded([id, nationalId, arabicName.full, englishName.full, about].join('\n'));
    if (this.byId.get(id) === person) this.#texts.set(person, text);
    return text;
  }
}

/**
 * The people who can sign in; `fallback` stands in for numbers that nobody has. A value: a change
 * makes a new one, which keeps what differs from the start and shares the rest, so that a scope costs
 * what it has changed.
 */
export class People implements Iterable<Person> {
  readonly fallback: Person;
  readonly #start: Start;
  /** By id, those who are others than at the start; null: who is there no more. */
  readonly #changed: ReadonlyMap<string, Person | null>;
  readonly #changedByNationalId: ReadonlyMap<string, Person>;

  private constructor(
    start: Start,
    fallback: Person,
    changed: ReadonlyMap<string, Person | null> = new Map(),
  ) {
    this.fallback = fallback;
    this.#start = start;
    this.#changed = changed;
    const present = changed.values().filter((person) => person !== null);
    this.#changedByNationalId = new Map(present.map((person) => [person.nationalId, person]));
  }

  /** Ids and numbers are each somebody's own. */
  static of(all: readonly Person[], fallback: Person): People {
    return new People(new Start(all), fallback);
  }

  get count(): number {
    const { byId } = this.#start;
    const added = this.#changed.entries().reduce((sum, [id, person]) => {
      return sum + (person === null ? 0 : 1) - (byId.has(id) ? 1 : 0);
    }, 0);
    return byId.size + added;
  }

  get all(): readonly Person[] {
    return this.#isAsAtStart ? this.#start.all : [...this];
  }

  /** The ids of those who are others than at the start, or are there no more. */
  get changedIds(): readonly string[] {
    return [...this.#changed.keys()];
  }

  /** How many are kept who were not there at the start. */
  get changes(): number {
    return this.#changed.values().reduce((sum, person) => sum + (person === null ? 0 : 1), 0);
  }

  /** The fallback first. */
  *[Symbol.iterator](): Iterator<Person> {
    const { all, byId } = this.#start;
    if (this.#isAsAtStart) return yield* all;
    yield this.fallback;
    for (const { id } of all) {
      const person = this.byId(id);
      if (person !== null && id !== this.fallback.id) yield person;
    }
    for (const [id, person] of this.#changed) {
      if (person !== null && !byId.has(id) && id !== this.fallback.id) yield person;
    }
  }

  get #isAsAtStart(): boolean {
    return this.#changed.size === 0 && this.#start.all[0] === this.fallback;
  }

  byId(id: string): Person | null {
    const changed = this.#changed.get(id);
    return changed === undefined ? (this.#start.byId.get(id) ?? null) : changed;
  }

  byNationalId(nationalId: string): Person | null {
    const changed = this.#changedByNationalId.get(nationalId);
    if (changed !== undefined) return changed;
    const before = this.#start.byNationalId.get(nationalId);
    return before === undefined || this.#changed.has(before.id) ? null : before;
  }

  /** Those who are wanted; null where nobody has the id of `after`. */
  find({ search, after, limit }: Wanted): readonly Person[] | null {
    if (after !== null && this.byId(after) === null) return null;
    const text = folded(search).trim();
    const found: Person[] = [];
    let isBefore = after !== null;
    for (const person of this) {
      if (found.length === limit) break;
      if (isBefore) isBefore = person.id !== after;
      else if (text === '' || this.#start.textOf(person).includes(text)) found.push(person);
    }
    return found;
  }

  with(person: Person, fallback: Person): People {
    return this.#changedBy(person.id, person, fallback);
  }

  without(id: string): People {
    return this.#changedBy(id, null, this.fallback);
  }

  #changedBy(id: string, person: Person | null, fallback: Person): People {
    const changed = new Map(this.#changed);
    if (person === null && !this.#start.byId.has(id)) changed.delete(id);
    else changed.set(id, person);
    return new People(this.#start, fallback, changed);
  }
}
