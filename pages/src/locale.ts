/** The languages of the pages. Arabic is the first one. */
export type Locale = 'ar' | 'en';

/** A text that exists in both languages, or one that is the same in both. */
export type Localized = string | Readonly<Record<Locale, string>>;

/** Where the same page is found in each language. */
export type LanguageLinks = Readonly<Record<Locale, string>>;

/** The writing direction of a language. */
export function direction(locale: Locale): 'rtl' | 'ltr' {
  return locale === 'ar' ? 'rtl' : 'ltr';
}

/** The other language: the one that a page's language link leads to. */
export function otherLocale(locale: Locale): Locale {
  return locale === 'ar' ? 'en' : 'ar';
}

/** The text of `value` in `locale`. */
export function localized(value: Localized, locale: Locale): string {
  return typeof value === 'string' ? value : value[locale];
}
