import type { Ms } from '../engine/ports.ts';
import { makeSigningKey, publicPart, type PublicKey, type SigningKey } from './signing-key.ts';

/**
 * `announced`: published, but not signing yet. `retired`: no longer signing, but still published.
 */
export const KEY_ROLES = ['signing', 'announced', 'retired'] as const;
export type KeyRole = (typeof KEY_ROLES)[number];

export interface KeptKey {
  readonly role: KeyRole;
  readonly key: SigningKey;
  /** When a retired key stops being published; null for the others. */
  readonly until: Ms | null;
}

/** Stores the keys between two runs. */
export interface KeyStore {
  /** The keys that were saved last; none in a new installation. */
  load(): readonly KeptKey[];
  /** The keys are durable before this returns. */
  save(keys: readonly KeptKey[]): void;
}

/** Longer than relying parties can have valid tokens of the old key. */
const RETIRED_FOR_MS: Ms = 600_000;

/**
 * The keys of one provider. The first key is made at its first use, not when the program starts.
 * Changes run one after another, and a change is visible only after it was saved.
 */
export class KeyRing {
  readonly #store: KeyStore;
  readonly #makeKey: () => Promise<SigningKey>;
  #keys: Promise<readonly KeptKey[]> | null = null;
  #stray: Promise<SigningKey> | null = null;
  #changes: Promise<unknown> = Promise.resolve();

  constructor(store: KeyStore, makeKey = makeSigningKey) {
    this.#store = store;
    this.#makeKey = makeKey;
  }

  /** All current keys, the signing one first. */
  async all(now: Ms): Promise<readonly KeptKey[]> {
    return current(await this.#loaded(), now);
  }

  async published(now: Ms): Promise<readonly PublicKey[]> {
    return (await this.all(now)).map(({ key }) => publicPart(key));
  }

  async signing(): Promise<SigningKey> {
    return signingOf(await this.#loaded());
  }

  /** A key that is never published, for tokens that must be refused. */
  stray(): Promise<SigningKey> {
    this.#stray ??= this.#makeKey();
    return this.#stray;
  }

  /** Publishes the next key before it signs. If one is already announced, nothing changes. */
  announce(now: Ms): Promise<readonly KeptKey[]> {
    return this.#change(now, async (keys) =>
      announcedOf(keys) === undefined ? [...keys, await this.#make('announced')] : keys,
    );
  }

  /**
   * The announced key signs from now on, or a new one if none is announced. The old key stays
   * published for a while, or is removed.
   */
  rotate(now: Ms, old: 'keep' | 'drop' = 'keep'): Promise<readonly KeptKey[]> {
    return this.#change(now, async (keys) => {
      const { key } = announcedOf(keys) ?? (await this.#make('announced'));
      const retired = keys.filter(({ role }) => role === 'retired');
      const until = now + RETIRED_FOR_MS;
      const last: KeptKey = { role: 'retired', key: signingOf(keys), until };
      return [{ role: 'signing', key, until: null }, ...(old === 'keep' ? [last, ...retired] : [])];
    });
  }

  #change(
    now: Ms,
    edit: (keys: readonly KeptKey[]) => Promise<readonly KeptKey[]>,
  ): Promise<readonly KeptKey[]> {
    const change = this.#changes.then(async () => {
      const changed = await edit(current(await this.#loaded(), now));
      this.#store.save(changed);
      this.#keys = Promise.resolve(changed);
      return changed;
    });
    // A failed change has changed nothing, so the next change can go on.
    this.#changes = change.catch(() => undefined);
    return change;
  }

  #loaded(): Promise<readonly KeptKey[]> {
    this.#keys ??= this.#open().catch((error: unknown) => {
      this.#keys = null;
      throw error;
    });
    return this.#keys;
  }

  async #open(): Promise<readonly KeptKey[]> {
    const saved = this.#store.load();
    if (saved.length > 0) return saved;
    const first = [await this.#make('signing')];
    this.#store.save(first);
    return first;
  }

  async #make(role: KeyRole): Promise<KeptKey> {
    return { role, key: await this.#makeKey(), until: null };
  }
}

/** Keys that are lost when the process ends. */
export function keysInMemory(): KeyStore {
  let kept: readonly KeptKey[] = [];
  return {
    load: () => kept,
    save: (keys) => {
      kept = keys;
    },
  };
}

function current(keys: readonly KeptKey[], now: Ms): readonly KeptKey[] {
  return keys.filter(({ until }) => until === null || now < until);
}

function announcedOf(keys: readonly KeptKey[]): KeptKey | undefined {
  return keys.find(({ role }) => role === 'announced');
}

function signingOf(keys: readonly KeptKey[]): SigningKey {
  const found = keys.find(({ role }) => role === 'signing');
  if (found === undefined) throw new Error('no key signs');
  return found.key;
}
