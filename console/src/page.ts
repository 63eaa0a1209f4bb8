/** What the server has written into the page: the language, and the scope that is shown. */

export type Locale = 'ar' | 'en';

const element = document.getElementById('console') ?? document.body;
const { scope = 'default', language, service } = element.dataset;
const isUsualScope = scope === 'default';
const isBesideService = service === 'yes';

function localeOf(name: string | undefined): Locale {
  return name === 'en' ? 'en' : 'ar';
}

export const page = {
  /** Where the console is put. */
  element,
  locale: localeOf(language),
  scope,
  /** Whether the attempt API and its documents are at the same origin. */
  isBesideService,
  /** Whether it is the scope of those who name none. */
  isUsualScope,
  /** Of the attempt API in this scope; null where the simulator runs by itself. */
  base: isBesideService
    ? `${location.origin}${isUsualScope ? '' : `/scopes/${scope}`}/api/v1`
    : null,
  phone: `/simulator/phone?${new URLSearchParams({ locale: localeOf(language), scope }).toString()}`,
  /** Of the browser's tab, in the page's language. */
  title: document.title,
} as const;
