import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares in a time that tells nothing of either text, their lengths included. */
export function sameSecret(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
