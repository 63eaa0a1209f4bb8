/** The pages of the application, and the files that they load. */
import { readFileSync } from 'node:fs';
import { MiftahError } from '@miftah/client';
import { COPY } from './copy.mjs';

/** @typedef {'ar' | 'en'} Locale */

const style = readFileSync(new URL('style.css', import.meta.url), 'utf8');

/** The file that the pages load; the scripts of the page that waits come with the sign-in. */
export const assets = { '/style.css': () => ({ type: 'text/css', text: style }) };

/**
 * @param {Locale} locale
 * @param {import('@miftah/client').User | undefined} user
 * @param {string | null} ended what has become of a sign-in; any other text shows nothing
 */
export function homePage(locale, user, ended) {
  const copy = COPY[locale];
  if (user !== undefined) return page(locale, copy.signedIn.title, signedIn(locale, user));
  const texts = new Map(Object.entries(copy.ended));
  return page(locale, copy.title, notice(texts.get(ended ?? '')) + forms(locale));
}

/** @param {import('@miftah/client/express').Waiting} waiting */
export function phonePage({
  attempt: { id, random = '', expiresAt, randomExpiresAt = expiresAt },
  locale,
  path,
}) {
  const { title, label, button, back } = COPY[locale].number;
  const number = escape(random);
  const own = `?attempt=${id}`; // This page is told, and ends, no sign-in of another tab.
  const content = `
    <miftah-wait tabindex="-1" autofocus role="group" aria-label="${label}: ${Array.from(number).join(' ')}"
      random="${number}" expires-at="${randomExpiresAt.toISOString()}"
      events-url="${path}/events${own}"><p class="number" dir="ltr">${number}</p></miftah-wait>
    <form method="post" action="${path}/finish${own}">
      <noscript><button data-testid="look">${button}</button></noscript>
    </form>
    <form method="post" action="${path}/cancel${own}"><button class="back">${back}</button></form>
    <script type="module" src="${path}/wait.js"></script>`;
  return page(locale, title, content, { other: `${own}&locale=` }).text;
}

/** @param {Locale} locale @param {unknown} error @param {string} [typed] the number that was refused */
export function errorPage(locale, error, typed) {
  const copy = COPY[locale];
  const status = error instanceof MiftahError && isOfUser(error) ? error.status : 502;
  return page(locale, copy.title, notice(textOf(copy.errors, error)) + forms(locale, typed), {
    status,
  });
}

/** @param {MiftahError} error */
function isOfUser({ status }) {
  return status >= 400 && status < 500;
}

/** @param {typeof COPY.ar.errors} texts @param {unknown} error */
function textOf(texts, error) {
  if (!(error instanceof MiftahError) || !isOfUser(error)) return texts.unavailable;
  if (error.status === 401) return texts.unavailable; // The key of this application is wrong.
  if (error.code === 'provider.record_not_found') return texts.unknown;
  const wrong = error.violations?.map(({ pointer }) => pointer) ?? [];
  if (wrong.includes('/national_id')) return texts.invalid;
  if (error.code === 'push.budget_spent') return texts.budget;
  if (error.code === 'flow.unavailable') return texts.noPhone;
  return error.status === 429 ? texts.limited : texts.refused;
}

/** @param {Locale} locale @param {import('@miftah/client').User} user */
function signedIn(locale, user) {
  const copy = COPY[locale].signedIn;
  const name = locale === 'ar' ? user.arabicName : user.englishName;
  return `
    <p class="name"><bdi data-testid="who">${escape(name)}</bdi></p>
    <p>${copy[user.lastAuthMethod]}</p>
    <form method="post" action="/sign-in/out"><button>${copy.button}</button></form>`;
}

/** @param {Locale} locale @param {string} [typed] */
function forms(locale, typed = '') {
  const { intro, byBrowser, byPhone } = COPY[locale];
  return `
    <p>${intro}</p>
    <form method="post" action="/sign-in/start">
      <input type="hidden" name="locale" value="${locale}">
      <h2>${byBrowser.title}</h2>
      <p>${byBrowser.text}</p>
      <button data-testid="by-browser">${byBrowser.button}</button>
    </form>
    <form method="post" action="/sign-in/start">
      <input type="hidden" name="locale" value="${locale}">
      <h2>${byPhone.title}</h2>
      <p>${byPhone.text}</p>
      <label for="national-id">${byPhone.nationalId}</label>
      <input id="national-id" name="national_id" dir="ltr" inputmode="numeric"
        autocomplete="off" required value="${escape(typed)}">
      <button data-testid="by-phone">${byPhone.button}</button>
    </form>`;
}

/** @param {string | undefined} text */
function notice(text) {
  return text === undefined ? '' : `<p class="notice" role="alert">${text}</p>`;
}

/**
 * @param {Locale} locale @param {string} title @param {string} content
 * @param {{ status?: number, other?: string }} [options] where the page is in the other language
 */
function page(locale, title, content, { status = 200, other: address = '/?lang=' } = {}) {
  const { dir, app, other } = COPY[locale];
  const text = `<!doctype html>
<html lang="${locale}" dir="${dir}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title} · ${app}</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/style.css">
  </head>
  <body>
    <header>
      <a href="/">${app}</a>
      <a href="${address}${other.code}" lang="${other.code}" hreflang="${other.code}">${other.name}</a>
    </header>
    <main>
      <h1>${title}</h1>${content}
    </main>
  </body>
</html>
`;
  return { status, type: 'text/html', text };
}

/** @param {string} text */
function escape(text) {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
