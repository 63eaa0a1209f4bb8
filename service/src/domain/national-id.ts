import { NATIONAL_ID_PATTERN } from '@miftah/contract/values';
import type { Branded } from './brand.ts';

/**
 * Ten ASCII digits, the first not zero. There is no checksum: neither the provider nor the
 * interface document defines one.
 */
export type NationalId = Branded<string, 'NationalId'>;

const TYPED = new RegExp(NATIONAL_ID_PATTERN);

export function parseNationalId(text: string): NationalId | null {
  return TYPED.test(text) ? (asciiDigits(text) as NationalId) : null;
}

function asciiDigits(text: string): string {
  return text.replace(/[\u0660-\u0669\u06F0-\u06F9]/g, (digit) =>
    String(digit.charCodeAt(0) & 0x0f),
  );
}
