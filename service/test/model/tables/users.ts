import type { Ms } from '../../../src/values/time.ts';
import type { Login, PersonKey, User, UserId } from '../../../src/account/user.ts';

import type { KeptOut } from '../../../src/store/ports/store.port.ts';
import { signedIn, userIdOf } from '../rules.ts';

/** The users of the model. */
export class UserTable {
  readonly #users = new Map<UserId, User>();
  readonly #ofPerson = new Map<string, UserId>();
  /** What OpenID clients know people by. */
  readonly #subjects = new Map<UserId, string>();
  /** Since when people who were erased are kept out. */
  readonly #keptOut = new Map<string, Ms>();
  /** The highest id that was assigned. */
  lastId = 0;

  get(id: UserId | null): User | null {
    return id === null ? null : (this.#users.get(id) ?? null);
  }

  /** The user after a login: a new one, or the existing one with new data. */
  after(login: Login): User {
    const id = this.ofPerson(login.person)?.id ?? userIdOf(this.lastId + 1);
    const disabledAt = this.#keptOut.get(personKey(login.person)) ?? null;
    const fresh = { id, createdAt: login.at, disabledAt, signInsEndedAt: null };
    return signedIn(this.get(id) ?? fresh, login);
  }

  ofPerson(person: PersonKey): User | null {
    return this.get(this.#ofPerson.get(personKey(person)) ?? null);
  }

  ofSubject(subject: string): User | null {
    const [id = null] = [...this.#subjects].find(([, one]) => one === subject) ?? [];
    return this.get(id);
  }

  /** Undefined for a person who has none yet. */
  subjectOf(id: UserId): string | undefined {
    return this.#subjects.get(id);
  }

  /** The first one stays. */
  nameSubject(id: UserId, subject: string): string {
    const kept = this.#subjects.get(id) ?? subject;
    this.#subjects.set(id, kept);
    return kept;
  }

  /** By their ids. */
  get all(): User[] {
    return [...this.#users.values()].toSorted((one, other) => one.id - other.id);
  }

  idsAfter(number: number): UserId[] {
    return this.all.map(({ id }) => id).filter((id) => id > number);
  }

  erase(user: User): void {
    this.#users.delete(user.id);
    this.#subjects.delete(user.id);
    this.#ofPerson.delete(personKey(user));
  }

  /** The first time is kept. */
  keepOut(person: PersonKey, at: Ms): void {
    const key = personKey(person);
    this.#keptOut.set(key, this.#keptOut.get(key) ?? at);
  }

  get keptOut(): KeptOut[] {
    return [...this.#keptOut]
      .map(([digest, since]) => ({ digest, key: null, since }))
      .toSorted((one, other) => (one.digest < other.digest ? -1 : 1));
  }

  /** @returns the user with this digest, whom the store may have from a backup */
  keepOutAgain({ digest, since }: KeptOut): User | null {
    this.#keptOut.set(digest, this.#keptOut.get(digest) ?? since);
    return this.get(this.#ofPerson.get(digest) ?? null);
  }

  letIn(person: PersonKey): void {
    this.#keptOut.delete(personKey(person));
  }

  get disabled(): User[] {
    return this.all.filter(({ disabledAt }) => disabledAt !== null);
  }

  get isEmpty(): boolean {
    return this.#users.size === 0;
  }

  /** Whether the call changed anything: an earlier time of disabling is kept. */
  disable(id: UserId, at: Ms): boolean {
    return this.#change(id, (user) => ({ ...user, disabledAt: user.disabledAt ?? at }));
  }

  /** The latest time counts. */
  endSignIns(id: UserId, at: Ms): void {
    const user = this.get(id);
    if (user === null) return;
    this.#users.set(id, { ...user, signInsEndedAt: Math.max(user.signInsEndedAt ?? 0, at) });
  }

  enable(id: UserId): boolean {
    const known = this.get(id);
    if (known !== null && known.disabledAt !== null) this.letIn(known);
    return this.#change(id, (user) => ({ ...user, disabledAt: null }));
  }

  keep(user: User): void {
    this.lastId = Math.max(this.lastId, user.id);
    this.#users.set(user.id, user);
    this.#ofPerson.set(personKey(user), user.id);
  }

  #change(id: UserId, change: (user: User) => User): boolean {
    const before = this.get(id);
    if (before === null) return false;
    const after = change(before);
    this.#users.set(id, after);
    return after.disabledAt !== before.disabledAt;
  }
}

/** JSON, so that different parts never give the same key, whatever characters they contain. */
function personKey({ issuer, documentType, documentNumber }: PersonKey): string {
  return JSON.stringify([issuer, documentType, documentNumber]);
}
