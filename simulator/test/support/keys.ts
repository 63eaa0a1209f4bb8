import { makeSigningKey, type SigningKey } from '../../src/keys/signing-key.ts';

const made: Array<Promise<SigningKey>> = [];

/** Real keys, made once for all tests. Each key ring gets the same keys in the same order. */
export function madeBefore(): () => Promise<SigningKey> {
  let next = 0;
  return () => {
    const key = (made[next] ??= makeSigningKey());
    next += 1;
    return key;
  };
}
