import { keyedDigestText, NO_KEY, type Digest } from '../../values/secret.ts';
import type { PersonKey } from '../../account/user.ts';
import type { SealContext, Vault } from '../../platform/keys/vault.port.ts';

/**
 * The value of `users.identity_digest` in a store without a vault: identities are not sealed there,
 * so a digest that everybody can compute reveals nothing more.
 */
export function clearIdentityDigest(...parts: readonly string[]): Digest {
  return keyedDigestText(NO_KEY, 'identity', ...parts);
}

/** Writes identities into columns and reads them, sealed if there is a vault. */
export class Identities {
  readonly #vault: Vault | null;

  constructor(vault: Vault | null) {
    this.#vault = vault;
  }

  /** Whether a requested identifier is erased when its attempt ends. */
  get areSealed(): boolean {
    return this.#vault !== null;
  }

  /** The id of the key that seals new values; null if nothing is sealed. */
  get currentKey(): string | null {
    return this.#vault?.currentKey ?? null;
  }

  /** Null if nothing is sealed, so that no key can be lost. */
  get knownKeys(): readonly string[] | null {
    return this.#vault === null ? null : [this.#vault.currentKey, ...this.#vault.retiredKeys];
  }

  get retiredKeys(): readonly string[] {
    return this.#vault?.retiredKeys ?? [];
  }

  write(context: SealContext, text: string): string {
    return this.#vault?.seal(context, text) ?? text;
  }

  /** @throws Error for a value that was not sealed for this place */
  read(context: SealContext, stored: string): string {
    return this.#vault?.open(context, stored) ?? stored;
  }

  /**
   * One digest for each (issuer, document type, document number); a seal is bound to the row with
   * it.
   */
  digestOf(person: PersonKey): Digest {
    const parts = partsOf(person);
    return this.#vault?.digest(this.#vault.currentKey, ...parts) ?? clearIdentityDigest(...parts);
  }

  /** Every digest under which something may be stored about the person, the current one first. */
  digestsOf(person: PersonKey): Digest[] {
    return [this.digestOf(person), ...this.retiredDigestsOf(person)];
  }

  /** Digests under which the person may be stored, from before the key was changed. */
  retiredDigestsOf(person: PersonKey): Digest[] {
    const vault = this.#vault;
    return vault?.retiredKeys.map((key) => vault.digest(key, ...partsOf(person))) ?? [];
  }
}

/** SQLite has no boolean type: 1 where a requested identifier is erased when its attempt ends. */
export function eraseOf({ areSealed }: Identities): number {
  return areSealed ? 1 : 0;
}

function partsOf({ issuer, documentType, documentNumber }: PersonKey): string[] {
  return [issuer, documentType, documentNumber];
}
