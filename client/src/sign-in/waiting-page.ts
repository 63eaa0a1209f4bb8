import type { Attempt } from '../types.ts';
import type { Locale } from './cookie.ts';

/** What the page that waits is made of. */
export interface Waiting {
  /** By phone: `random` is the number to show. */
  readonly attempt: Attempt;
  readonly locale: Locale;
  /**
   * `events` of it is for `events-url`, and `finish` and `cancel` take a form. Each ends with
   * `?attempt=` and the id, so that a page is about its own sign-in where another tab has begun one.
   */
  readonly path: string;
}

const WORDS = {
  ar: {
    dir: 'rtl',
    title: 'الردّ على الإشعار في جوالك',
    number: 'الرقم المعروض للمطابقة',
    button: 'التحقق من الردّ',
    cancel: 'إبطال المحاولة',
  },
  en: {
    dir: 'ltr',
    title: 'Answer on your phone',
    number: 'Number to match',
    button: 'Look for the answer',
    cancel: 'Cancel',
  },
} as const;

const STYLE = `:root{color-scheme:light dark}
body{box-sizing:border-box;min-block-size:100vh;margin:0;padding:1rem;display:grid;place-content:center;
grid-template-columns:minmax(0,26rem);gap:1rem;font:100%/1.65 system-ui,'Segoe UI','Noto Sans Arabic',sans-serif}
h1{margin:0;font-size:1.4rem;text-align:center}
miftah-wait:focus{outline:none}
miftah-wait:not(:defined){display:block;min-block-size:14rem}
form{text-align:center}
button{min-block-size:2.75rem;padding-inline:1.5rem;font:inherit;color:inherit;background:none;
border:1px solid;border-radius:.5rem;cursor:pointer}`;

/**
 * When the sign-in has ended, the application finishes it: who has signed in, only its answer says.
 * A cancel of the person ends it too: its own answer is on its way then.
 * Where the element does not come, the form asks: while the sign-in is pending it leads back here.
 */
export const SCRIPT = `let isLeft = false;
const finish = () => isLeft || document.querySelector('form').submit();
document.addEventListener('submit', () => (isLeft = true));
document.addEventListener('miftah-end', finish);
import('./element.js').catch(() => setTimeout(finish, 5000));
`;

/** @returns the page, and the policy that lets it do what it does and nothing else */
export async function pageThatWaits({ attempt, locale, path }: Waiting) {
  const { dir, title, number: label, button, cancel } = WORDS[locale];
  const number = escaped(attempt.random ?? '');
  // The focus begins where the number is: it is in view then, and is read aloud digit by digit.
  const own = `?attempt=${encodeURIComponent(attempt.id)}`;
  const spoken = `${label}: ${Array.from(number).join(' ')}`;
  const html = `<!doctype html>
<html lang="${locale}" dir="${dir}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<h1>${title}</h1>
<miftah-wait tabindex="-1" autofocus role="group" aria-label="${spoken}"
  random="${number}" expires-at="${(attempt.randomExpiresAt ?? attempt.expiresAt).toISOString()}"
  events-url="${path}/events${own}"><p dir="ltr">${number}</p></miftah-wait>
<form method="post" action="${path}/finish${own}"><noscript><button>${button}</button></noscript></form>
<form method="post" action="${path}/cancel${own}"><button>${cancel}</button></form>
<script type="module" src="${path}/wait.js"></script>
</body>
</html>
`;
  hashOfStyle ??= sha256(STYLE);
  const policy =
    `default-src 'none'; style-src 'sha256-${await hashOfStyle}'; script-src 'self'; connect-src 'self'; ` +
    `img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;
  return { html, policy };
}

let hashOfStyle: Promise<string> | undefined;

async function sha256(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(hash)));
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
