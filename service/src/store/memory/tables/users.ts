import type { Ms } from '../../../domain/time.ts';
import {
  parseUserId,
  userAfterLogin,
  type Login,
  type PersonKey,
  type User,
  type UserId,
} from '../../../domain/user.ts';

/** The users of the memory store. */
export class UserTable {
  readonly #users = new Map<UserId, User>();
  readonly #ofPerson = new Map<string, UserId>();
  /** The highest id that was assigned. */
  lastId = 0;

  get(id: UserId | null): User | null {
    return id === null ? null : (this.#users.get(id) ?? null);
  }

  /** The user after a login: a new one, or the existing one with new data. */
  after(login: Login): User {
    const id = this.ofPerson(login.person)?.id ?? parseUserId(this.lastId + 1);
    if (id === null) throw new Error('there is no user number left');
    return userAfterLogin(this.get(id) ?? { id, createdAt: login.at, disabledAt: null }, login);
  }

  ofPerson(person: PersonKey): User | null {
    return this.get(this.#ofPerson.get(personKey(person)) ?? null);
  }

  get disabled(): User[] {
    return [...this.#users.values()]
      .filter(({ disabledAt }) => disabledAt !== null)
      .toSorted((one, other) => one.id - other.id);
  }

  get isEmpty(): boolean {
    return this.#users.size === 0;
  }

  /** Whether the call changed anything: an earlier time of disabling is kept. */
  disable(id: UserId, at: Ms): boolean {
    return this.#change(id, (user) => ({ ...user, disabledAt: user.disabledAt ?? at }));
  }

  enable(id: UserId): boolean {
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
