/** What the server has written into the page: the language, and the scope that is shown. */

export type Locale = 'ar' | 'en';

const element = document.getElementById('console') ?? document.body;
const { scope = 'default', language, service } = element.dataset;

function localeOf(name: string | undefined): Locale {
  return name === 'en' ? 'en' : 'ar';
}

export const page = {
  /** Where the console is put. */
  element,
  locale: localeOf(language),
  scope,
  /** Whether the attempt API and its documents are at the same origin. */
  isBesideService: service === 'yes',
  /** Of the browser's tab, in the page's language. */
  title: document.title,
} as const;
