/** The address of a page for developers: its language, and the scope that it shows. */
import { scopeFaultPage, type LanguageLinks } from '@miftah/pages';
import { object, optional, type Static } from '@miftah/schema';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LOCALES, type Locale } from '../engine/locale.ts';
import { DEFAULT_SCOPE, isScope } from '../engine/scenario.ts';
import { sendPage } from '../http/page.ts';

export const PageQuery = object({
  /** Anything: what is no language leaves the choice to the browser. */
  locale: optional({}),
  /** Anything: who gave a wrong name is told so by a page in their language. */
  scope: optional({}),
});

type PageRequest = Pick<FastifyRequest, 'headers'> & { readonly query: Static<typeof PageQuery> };

/** What the address asks for; else Arabic, but for browsers that want English before it. */
export function localeOf({ query, headers }: PageRequest): Locale {
  const named = LOCALES.find((locale) => locale === query.locale);
  if (named !== undefined) return named;
  return /^\s*en(?![a-z\d])/i.test(headers['accept-language'] ?? '') ? 'en' : 'ar';
}

/** The scope of the address; null if it has no name of one. */
export function scopeOf({ query: { scope } }: PageRequest): string | null {
  if (scope === undefined) return DEFAULT_SCOPE;
  return typeof scope === 'string' && isScope(scope) ? scope : null;
}

/** In place of the page at `path`. Nothing of the wrong name is repeated. */
export function replyScopeFault(
  request: PageRequest,
  reply: FastifyReply,
  path: string,
): FastifyReply {
  const languageLinks = languageLinksOf(path, DEFAULT_SCOPE);
  const page = scopeFaultPage({ locale: localeOf(request), languageLinks });
  return sendPage(reply.code(404), page);
}

/** The addresses of the page at `path` in both languages. */
export function languageLinksOf(path: string, scope: string): LanguageLinks {
  const addressOf = (locale: Locale) => {
    const named = scope === DEFAULT_SCOPE ? {} : { scope };
    const parameters = new URLSearchParams({ locale, ...named });
    return `${path}?${parameters.toString()}`;
  };
  return { ar: addressOf('ar'), en: addressOf('en') };
}
