/**
 * The languages of the provider's pages and claims, spelled exactly so: no language tags, no upper
 * case.
 */
export const LOCALES = ['ar', 'en'] as const;
export type Locale = (typeof LOCALES)[number];

/** Where a request names none. */
export const DEFAULT_LOCALE: Locale = 'ar';

/** One text in each language. */
export type Texts = Readonly<Record<Locale, string>>;
