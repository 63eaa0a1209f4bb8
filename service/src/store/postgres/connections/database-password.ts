import type { Secret } from '../../../values/secret.ts';
import type { StoreAway } from '../../ports/store.port.ts';

/** The password that new connections log in with. Connections that are there stay as they are. */
export class DatabasePassword {
  #current: Secret | null;
  /** Null where the password is in no file. */
  readonly #read: (() => Secret | null) | null;
  readonly #isCopy: boolean;
  /** Whether the file could not be used when it was read last. */
  #isUnusable = false;

  /**
   * @param read reads it from its file. It throws for a file that can't be used.
   * @param isCopy whether that file changes at a start alone
   */
  constructor(current: Secret | null, read: (() => Secret | null) | null = null, isCopy = false) {
    this.#current = current;
    this.#read = read;
    this.#isCopy = isCopy;
  }

  get current(): Secret | null {
    return this.#current;
  }

  /** Whether another one is found without a restart. */
  get isInFile(): boolean {
    return this.#read !== null;
  }

  /** Where another one has to be written. */
  get place(): NonNullable<StoreAway['password']> {
    if (this.#read === null) return 'fixed';
    if (this.#isCopy) return 'credential';
    return this.#isUnusable ? 'unusable_file' : 'in_file';
  }

  /** @throws Error when the file can't be used; the password stays then */
  reread(): { readonly isOther: boolean; readonly use: () => void } {
    this.#isUnusable = true;
    const next = this.#read === null ? this.#current : this.#read();
    this.#isUnusable = false;
    const isOther = next?.reveal() !== this.#current?.reveal();
    return { isOther, use: () => void (this.#current = next) };
  }
}
