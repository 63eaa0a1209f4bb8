import { keyedDigest } from '../../values/secret.ts';

/** What others see of a key. It reveals nothing of it. */
export function keyNumber(key: Uint8Array): number {
  return numberOf(keyedDigest(key, 'id of the key'));
}

/** A positive number of 31 bits, which fits into the name of a lock. */
export function numberOf(bytes: Uint8Array): number {
  return Buffer.from(bytes).readUInt32BE() >>> 1;
}
