import { isErrorCode, type ErrorCode } from './catalogue.ts';
import type { Locale } from '../values/locale.ts';
import { ATTEMPTS } from './english/attempts.ts';
import { CREDENTIALS } from './english/credentials.ts';
import { PROVIDER } from './english/provider.ts';
import { REQUESTS } from './english/requests.ts';
import { SERVICE } from './english/service.ts';

/** Errors that are read together: at `GET /errors`, and in docs/errors.md, which a test compares. */
export interface ErrorGroup {
  readonly name: string;
  readonly title: Readonly<Record<Locale, string>>;
  readonly codes: readonly ErrorCode[];
}

/** A file of texts is a group, in its order. */
export const ERROR_GROUPS: readonly ErrorGroup[] = [
  { name: 'attempt', title: { en: 'The attempt', ar: 'المحاولة' }, codes: codesOf(ATTEMPTS) },
  { name: 'request', title: { en: 'The request', ar: 'الطلب' }, codes: codesOf(REQUESTS) },
  {
    name: 'credentials',
    title: { en: 'Credentials', ar: 'المفاتيح والرموز' },
    codes: codesOf(CREDENTIALS),
  },
  {
    name: 'provider',
    title: { en: 'The identity provider', ar: 'مزوّد الهوية' },
    codes: codesOf(PROVIDER),
  },
  { name: 'service', title: { en: 'The service', ar: 'الخدمة' }, codes: codesOf(SERVICE) },
];

function codesOf(texts: object): readonly ErrorCode[] {
  return Object.keys(texts).filter(isErrorCode);
}
