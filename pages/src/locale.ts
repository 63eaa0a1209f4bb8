/** The languages of the pages; Arabic is the default. */
export type Locale = 'ar' | 'en';

/** A text in both languages, or one text for both. */
export type Localized = string | Readonly<Record<Locale, string>>;

/** The address of the same page in each language. */
export type LanguageLinks = Readonly<Record<Locale, string>>;

/** The writing direction of a language. */
export function direction(locale: Locale): 'rtl' | 'ltr' {
  return locale === 'ar' ? 'rtl' : 'ltr';
}

/** The other language, to which a page's language link leads. */
export function otherLocale(locale: Locale): Locale {
  return locale === 'ar' ? 'en' : 'ar';
}

/** The text of `value` in `locale`. */
export function localized(value: Localized, locale: Locale): string {
  return typeof value === 'string' ? value : value[locale];
}
