import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares in a time that reveals nothing about either text, not even its length. */
export function sameSecret(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
