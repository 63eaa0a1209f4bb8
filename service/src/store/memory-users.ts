import {
  parseUserId,
  userAfterLogin,
  type Login,
  type Person,
  type User,
  type UserId,
} from '../domain/user.ts';

/** The users of the memory store. */
export class MemoryUsers {
  readonly #users = new Map<UserId, User>();
  readonly #ofPerson = new Map<string, UserId>();

  get(id: UserId | null): User | null {
    return id === null ? null : (this.#users.get(id) ?? null);
  }

  /** What a login would make of the person: a new user, or the one that they are. */
  after(login: Login): User {
    const knownId = this.#ofPerson.get(personKey(login.person));
    const id = knownId ?? parseUserId(this.#users.size + 1);
    if (id === null) throw new Error('there is no user number left');
    return userAfterLogin(this.get(id) ?? { id, createdAt: login.at }, login);
  }

  keep(user: User): void {
    this.#users.set(user.id, user);
    this.#ofPerson.set(personKey(user), user.id);
  }
}

/** JSON keeps the parts apart, whatever characters are in them. */
function personKey({ issuer, documentType, documentNumber }: Person): string {
  return JSON.stringify([issuer, documentType, documentNumber]);
}
