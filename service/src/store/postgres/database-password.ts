import type { Secret } from '../../values/secret.ts';

/** The password that new connections log in with. Connections that are there stay as they are. */
export class DatabasePassword {
  #current: Secret | null;
  /** Null where the password is in no file. */
  readonly #read: (() => Secret | null) | null;

  /** @param read reads it from its file. It throws for a file that can't be used. */
  constructor(current: Secret | null, read: (() => Secret | null) | null = null) {
    this.#current = current;
    this.#read = read;
  }

  get current(): Secret | null {
    return this.#current;
  }

  /** Whether another one is found without a restart. */
  get isInFile(): boolean {
    return this.#read !== null;
  }

  /** @throws Error when the file can't be used; the password stays then */
  reread(): { readonly isOther: boolean; readonly use: () => void } {
    const next = this.#read === null ? this.#current : this.#read();
    const isOther = next?.reveal() !== this.#current?.reveal();
    return { isOther, use: () => void (this.#current = next) };
  }
}
