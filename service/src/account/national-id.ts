import { typedDigits } from '@miftah/contract/typed-digits';
import type { Branded } from '../values/brand.ts';

/**
 * Ten ASCII digits, the first not zero. There is no checksum: neither the provider nor the
 * interface document defines one.
 */
export type NationalId = Branded<string, 'NationalId'>;

const TEN_DIGITS = /^[1-9]\d{9}$/;

/** @param text as somebody typed it: what `typedDigits` reads, or what is stored */
export function parseNationalId(text: string): NationalId | null {
  const digits = TEN_DIGITS.test(text) ? text : typedDigits(text);
  return digits !== null && TEN_DIGITS.test(digits) ? (digits as NationalId) : null;
}
