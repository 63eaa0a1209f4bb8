import type { FastifyRequest } from 'fastify';
import { DEFAULT_LOCALE, parseLocale, preferredLocale, type Locale } from '../domain/locale.ts';
import { targetOf } from './request-target.ts';
import { textMember } from './text-member.ts';

/** The language of a page: Arabic where neither request nor attempt says anything. */
export function pageLocale(request: FastifyRequest, attemptLocale: Locale | null = null): Locale {
  return localeOf(request, attemptLocale) ?? DEFAULT_LOCALE;
}

/** The language of an answer to a program: English then, which the clients' logs expect. */
export function messageLocale(request: FastifyRequest): Locale {
  return localeOf(request, null) ?? 'en';
}

/**
 * The one order for pages and messages: what the request names (a page's language link in the
 * address, a program in its body), the attempt's, what the browser prefers.
 */
function localeOf(request: FastifyRequest, attemptLocale: Locale | null): Locale | null {
  const named = [queryText(request, 'locale'), textMember(request.body, 'locale')];
  const chosen = named.map(parseLocale).find((locale) => locale !== null);
  return chosen ?? attemptLocale ?? preferredLocale(request.headers['accept-language']);
}

/** The same page in each language. */
export function languageLinks(request: FastifyRequest): Record<Locale, string> {
  return { ar: inLanguage(request, 'ar'), en: inLanguage(request, 'en') };
}

/** From the path alone: a link must not lead to whatever host a request names. */
function inLanguage(request: FastifyRequest, locale: Locale): string {
  const { path, query } = targetOf(request);
  const parameters = new URLSearchParams(query);
  parameters.set('locale', locale);
  return `${path}?${parameters.toString()}`;
}

/** A parameter that was given once; a repeated one says nothing. */
export function queryText({ query }: FastifyRequest, name: string): string {
  return textMember(query, name);
}
