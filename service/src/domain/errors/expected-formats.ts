import type { Locale } from '../locale.ts';

/** The required form of a member or header, as the end of a sentence that says it is wrong. */
const EXPECTED: ReadonlyMap<string, Readonly<Record<Locale, string>>> = new Map([
  ['locale', { en: 'use ar or en', ar: 'استخدم ar أو en' }],
  [
    'national_id',
    {
      en: 'it has ten digits, the first not 0, and is not a phone number',
      ar: 'يتكوّن من عشرة أرقام لا يبدأ أولها بصفر، وليس رقم جوال',
    },
  ],
  ['decision', { en: 'use approve, refuse or not_me', ar: 'استخدم approve أو refuse أو not_me' }],
  [
    'Idempotency-Key',
    {
      en: 'use 22 to 255 visible ASCII characters without spaces, for example a UUID',
      ar: 'استخدم من 22 إلى 255 حرفًا مرئيًا من ASCII دون مسافات، مثل UUID',
    },
  ],
]);

/** Null if the member's name is explanation enough. */
export function expectedFormat(field: string, locale: Locale): string | null {
  return EXPECTED.get(field)?.[locale] ?? null;
}
