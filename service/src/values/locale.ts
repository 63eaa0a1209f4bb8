import { LOCALE_PATTERN, LOCALES } from '@miftah/contract/values';

export { LOCALES };
export type Locale = (typeof LOCALES)[number];

export const DEFAULT_LOCALE: Locale = 'ar';

const TAG = new RegExp(LOCALE_PATTERN);

export function parseLocale(tag: string): Locale | null {
  return TAG.test(tag) ? (tag.slice(0, 2).toLowerCase() as Locale) : null;
}

/** The first acceptable language of an Accept-Language header (RFC 9110 section 12.5.4). */
export function preferredLocale(acceptLanguage: string | undefined): Locale | null {
  const ranked = (acceptLanguage ?? '')
    .split(',', 10)
    .map(rankedTag)
    .filter((entry) => entry.weight > 0)
    .toSorted((one, other) => other.weight - one.weight);
  for (const { tag } of ranked) {
    const locale = parseLocale(tag);
    if (locale !== null) return locale;
  }
  return null;
}

function rankedTag(entry: string): { tag: string; weight: number } {
  const [tag = '', ...parameters] = entry.split(';').map((part) => part.trim());
  const quality = parameters.find((parameter) => /^q=/i.test(parameter));
  const weight = quality === undefined ? 1 : Number(quality.slice(2));
  return { tag, weight: Number.isFinite(weight) ? weight : 0 };
}
