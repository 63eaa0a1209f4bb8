import { keyedDigestText, type Digest } from '../domain/digest.ts';
import type { PersonKey } from '../domain/user.ts';
import type { SealContext, Vault } from '../ports/vault.ts';

/** Where identities stand in the clear, a digest that everybody can compute gives nothing away. */
const NO_KEY = new Uint8Array();

/** What `users.identity_digest` holds in a store without a vault. */
export function clearIdentityDigest(...parts: readonly string[]): Digest {
  return keyedDigestText(NO_KEY, 'identity', ...parts);
}

/** How identities are written into columns and read out of them: sealed where there is a vault. */
export class Identities {
  readonly #vault: Vault | null;

  constructor(vault: Vault | null) {
    this.#vault = vault;
  }

  /** Whether a requested identifier goes when its attempt ends. */
  get areSealed(): boolean {
    return this.#vault !== null;
  }

  /** The id of the key that new values are sealed with; null in the clear. */
  get currentKey(): string | null {
    return this.#vault?.currentKey ?? null;
  }

  /** Null where nothing is sealed: then no key can be lost. */
  get knownKeys(): readonly string[] | null {
    return this.#vault === null ? null : [this.#vault.currentKey, ...this.#vault.retiredKeys];
  }

  get retiredKeys(): readonly string[] {
    return this.#vault?.retiredKeys ?? [];
  }

  write(context: SealContext, text: string): string {
    return this.#vault?.seal(context, text) ?? text;
  }

  /** @throws Error for what was not sealed for this place */
  read(context: SealContext, stored: string): string {
    return this.#vault?.open(context, stored) ?? stored;
  }

  /** One for each (issuer, document type, document number), and the row that a seal is bound to. */
  digestOf(person: PersonKey): Digest {
    const parts = partsOf(person);
    return this.#vault?.digest(this.#vault.currentKey, ...parts) ?? clearIdentityDigest(...parts);
  }

  /** Under which a person may still be stored, since before the key was changed. */
  retiredDigestsOf(person: PersonKey): Digest[] {
    const vault = this.#vault;
    return vault?.retiredKeys.map((key) => vault.digest(key, ...partsOf(person))) ?? [];
  }
}

function partsOf({ issuer, documentType, documentNumber }: PersonKey): string[] {
  return [issuer, documentType, documentNumber];
}
