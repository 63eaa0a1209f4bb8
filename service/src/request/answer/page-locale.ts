import type { FastifyRequest } from 'fastify';
import { DEFAULT_LOCALE, parseLocale, preferredLocale, type Locale } from '../../values/locale.ts';
import { BASE_PATH } from '../context.ts';
import { targetOf } from '../request-head.ts';
import { textMember } from '../body/text-member.ts';

/** The language of a page: Arabic when neither the request nor the attempt has one. */
export function pageLocale(request: FastifyRequest, attemptLocale: Locale | null = null): Locale {
  return localeOf(request, attemptLocale) ?? DEFAULT_LOCALE;
}

/** The language of an answer to a program: English when the request has none, for clients' logs. */
export function messageLocale(request: FastifyRequest): Locale {
  return localeOf(request, null) ?? 'en';
}

/**
 * The order for pages and messages: the language that the request names (in its address or its
 * body), then the attempt's, then what the browser prefers.
 */
function localeOf(request: FastifyRequest, attemptLocale: Locale | null): Locale | null {
  const named = [queryText(request, 'locale'), textMember(request.body, 'locale')];
  const chosen = named.map(parseLocale).find((locale) => locale !== null);
  return chosen ?? attemptLocale ?? preferredLocale(request.headers['accept-language']);
}

/** The address of the same page in each language. */
export function languageLinks(request: FastifyRequest): Record<Locale, string> {
  return { ar: inLanguage(request, 'ar'), en: inLanguage(request, 'en') };
}

/** @param start of the address, which the language ends */
export function languageEnds(start: string): Record<Locale, string> {
  return { ar: `${start}ar`, en: `${start}en` };
}

/** Of the page for what is unknown: it repeats nothing of the request, so it is one for all of them. */
export const UNKNOWN_LINKS = languageEnds(`${BASE_PATH}/callback?locale=`);

/** Uses only the path, so that the Host of a request can't choose where the link leads. */
function inLanguage(request: FastifyRequest, locale: Locale): string {
  const { path, query } = targetOf(request);
  const parameters = new URLSearchParams(query);
  parameters.set('locale', locale);
  return `${path}?${parameters.toString()}`;
}

/** A query parameter, or the empty text if it is absent or repeated. */
export function queryText({ query }: FastifyRequest, name: string): string {
  return textMember(query, name);
}
