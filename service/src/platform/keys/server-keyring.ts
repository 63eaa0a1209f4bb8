import { allKeys } from '../../values/secret.ts';
import type { ServerKeys } from './server-keys.port.ts';

/**
 * The keys of a service that runs. They change as one: nobody sees the current one of a moment and
 * the others of another. No key is forgotten before the process ends.
 */
export class ServerKeyring implements ServerKeys {
  #keys: ServerKeys;

  constructor(keys: ServerKeys) {
    this.#keys = keys;
  }

  get current(): Uint8Array {
    return this.#keys.current;
  }

  get retired(): readonly Uint8Array[] {
    return this.#keys.retired;
  }

  /** Those of these keys that are not here. */
  unknownOf(keys: readonly Uint8Array[]): readonly Uint8Array[] {
    const known = allKeys(this);
    return keys.filter((key) => !known.some((one) => isSame(one, key)));
  }

  /** From now on they open and verify what others have written. */
  learn(keys: readonly Uint8Array[]): void {
    const { current, retired } = this.#keys;
    this.#keys = { current, retired: [...retired, ...this.unknownOf(keys)] };
  }

  writeWith(key: Uint8Array): void {
    this.#keys = this.writingWith(key);
  }

  /** The keys as they are after `writeWith`, without a change of these. */
  writingWith(key: Uint8Array): ServerKeys {
    return { current: key, retired: allKeys(this).filter((one) => !isSame(one, key)) };
  }

  /** What follows from the keys. It is made anew only when they have changed. */
  derived<Value>(derive: (keys: ServerKeys) => Value): () => Value {
    let from = this.#keys;
    let value = derive(from);
    return () => {
      if (from === this.#keys) return value;
      // Neither changes where it throws.
      const keys = this.#keys;
      value = derive(keys);
      from = keys;
      return value;
    };
  }
}

export const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  Buffer.compare(one, other) === 0;
