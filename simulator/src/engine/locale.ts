/** The languages that the provider's pages and claims come in. Exact spelling: no tags, no case. */
export const LOCALES = ['ar', 'en'] as const;
export type Locale = (typeof LOCALES)[number];

/** One text in each language. */
export type Texts = Readonly<Record<Locale, string>>;
