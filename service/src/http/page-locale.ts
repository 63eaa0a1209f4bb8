import type { FastifyRequest } from 'fastify';
import { DEFAULT_LOCALE, parseLocale, preferredLocale, type Locale } from '../domain/locale.ts';
import { targetOf } from './request-target.ts';
import { textMember } from './text-member.ts';

/** The reader's choice by the page's own language link, else what the attempt or browser says. */
export function pageLocale(request: FastifyRequest, attemptLocale: Locale | null = null): Locale {
  const chosen = queryText(request, 'locale');
  const accepted = preferredLocale(request.headers['accept-language']);
  return parseLocale(chosen) ?? attemptLocale ?? accepted ?? DEFAULT_LOCALE;
}

/** For programs: as `pageLocale`, but English where nothing is said, as in error answers. */
export function messageLocale(request: FastifyRequest): Locale {
  const accepted = preferredLocale(request.headers['accept-language']);
  return parseLocale(queryText(request, 'locale')) ?? accepted ?? 'en';
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
