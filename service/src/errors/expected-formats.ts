import type { Locale } from '../values/locale.ts';

export const SCOPE_HEADER = 'X-Miftah-Scope';
/** The name of a scope in the address of the API. */
export const SCOPE_IN_ADDRESS = 'scope in the address';

const SCOPE: Readonly<Record<Locale, string>> = {
  en: 'use 1 to 64 of the characters a-z, 0-9 and hyphen',
  ar: 'استخدم من 1 إلى 64 من الأحرف a-z والأرقام 0-9 والشرطة',
};

/** The required form of a member, a header or a part of the address, as the end of a sentence that says it is wrong. */
const EXPECTED: ReadonlyMap<string, Readonly<Record<Locale, string>>> = new Map([
  ['locale', { en: 'use ar or en', ar: 'استخدم ar أو en' }],
  [
    'national_id',
    {
      en: 'it has ten digits, the first not 0, and is not a phone number',
      ar: 'يتكوّن من عشرة أرقام ليس أولها صفرًا، وليس رقم جوال',
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
  [
    'X-End-User-Address',
    {
      en: 'use one IP address, for example 203.0.113.7, or leave the header out',
      ar: 'استخدم عنوان IP واحدًا، مثل 203.0.113.7، أو لا ترسل هذه الترويسة',
    },
  ],
  [SCOPE_HEADER, SCOPE],
  [SCOPE_IN_ADDRESS, SCOPE],
]);

/** Null if the member's name is explanation enough. */
export function expectedFormat(field: string, locale: Locale): string | null {
  return EXPECTED.get(field)?.[locale] ?? null;
}
