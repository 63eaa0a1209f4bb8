/** The address of a page for developers: its language, and the scope that it shows. */
import type { LanguageLinks } from '@miftah/pages';
import { object, optional, string, type Static } from '@miftah/schema';
import type { FastifyRequest } from 'fastify';
import { LOCALES, type Locale } from '../engine/locale.ts';
import { SCOPE_PATTERN } from '../engine/scenario.ts';

export const PageQuery = object({
  /** Anything: what is no language leaves the choice to the browser. */
  locale: optional({}),
  scope: optional(string({ pattern: SCOPE_PATTERN })),
});

type PageRequest = Pick<FastifyRequest, 'headers'> & { readonly query: Static<typeof PageQuery> };

/** What the address asks for; else Arabic, but for browsers that want English before it. */
export function localeOf({ query, headers }: PageRequest): Locale {
  const named = LOCALES.find((locale) => locale === query.locale);
  if (named !== undefined) return named;
  return /^\s*en\b/i.test(headers['accept-language'] ?? '') ? 'en' : 'ar';
}

/** The addresses of the page at `path` in both languages. */
export function languageLinksOf(path: string, scope: string | undefined): LanguageLinks {
  const addressOf = (locale: Locale) => {
    const parameters = new URLSearchParams({ locale, ...(scope === undefined ? {} : { scope }) });
    return `${path}?${parameters.toString()}`;
  };
  return { ar: addressOf('ar'), en: addressOf('en') };
}
