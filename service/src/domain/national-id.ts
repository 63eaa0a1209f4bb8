import type { Branded } from './brand.ts';

/**
 * Ten ASCII digits, the first not zero. There is no checksum: neither the provider nor the
 * interface document defines one.
 */
export type NationalId = Branded<string, 'NationalId'>;

/** ASCII, Arabic-Indic (U+0660) and Persian (U+06F0) digits, as people type them on phones. */
export const NATIONAL_ID_PATTERN =
  '^[1-9\\u0661-\\u0669\\u06F1-\\u06F9][0-9\\u0660-\\u0669\\u06F0-\\u06F9]{9}$';

const TYPED = new RegExp(NATIONAL_ID_PATTERN);

export function parseNationalId(text: string): NationalId | null {
  return TYPED.test(text) ? (asciiDigits(text) as NationalId) : null;
}

function asciiDigits(text: string): string {
  return text.replace(/[\u0660-\u0669\u06F0-\u06F9]/g, (digit) =>
    String(digit.charCodeAt(0) & 0x0f),
  );
}
