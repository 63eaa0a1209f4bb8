/**
 * The languages of the provider's pages and claims, spelled exactly so: no language tags, no upper
 * case.
 */
export const LOCALES = ['ar', 'en'] as const;
export type Locale = (typeof LOCALES)[number];

/** One text in each language. */
export type Texts = Readonly<Record<Locale, string>>;
