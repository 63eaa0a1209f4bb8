import { assets } from '@miftah/pages';
import { html, serveApplication, type PageServer, type Route, type Served } from './page-server.ts';

type Language = 'ar' | 'en';

const PENDING = 'event: status\nid: 1\ndata: {"status":"pending"}\n\n';
const EVENT_STREAM = { 'content-type': 'text/event-stream' };
const MINUTE_MS = 60_000;

interface Shown {
  /** The name of the address that brings the element into this state. */
  readonly name: string;
  readonly titles: Readonly<Record<Language, string>>;
  /** What the address answers; without an end, the stream stays open. */
  readonly events: Route;
  readonly random?: string;
  readonly leftMs?: number;
}

const ended = (status: string) => `event: status\nid: 2\ndata: {"status":"${status}"}\n\n`;

const holds: Route = (_, response) => {
  response.writeHead(200, EVENT_STREAM).write(PENDING);
  return undefined;
};
const ends =
  (status: string): Route =>
  () =>
    new Response(ended(status), { headers: EVENT_STREAM });

export const EVERY_STATE: readonly Shown[] = [
  { name: 'waiting', titles: { en: 'Waiting', ar: 'انتظار' }, events: holds },
  {
    name: 'soon',
    titles: { en: 'Less than a minute left', ar: 'أقل من دقيقة' },
    events: holds,
    leftMs: 48_000,
  },
  {
    name: 'offline',
    titles: { en: 'Offline', ar: 'بلا اتصال' },
    events: () => new Response('', { status: 503 }),
  },
  {
    name: 'authenticated',
    titles: { en: 'Approved', ar: 'موافقة' },
    events: ends('authenticated'),
  },
  { name: 'rejected', titles: { en: 'Refused', ar: 'رفض' }, events: ends('rejected') },
  { name: 'expired', titles: { en: 'Expired', ar: 'انتهاء الصلاحية' }, events: ends('expired') },
  { name: 'failed', titles: { en: 'Failed', ar: 'خطأ' }, events: ends('failed') },
  {
    name: 'browser',
    titles: { en: 'Waiting, without a number', ar: 'انتظار بلا رقم' },
    events: holds,
    random: '',
  },
];

const STYLE = `
.states {
  display: grid; flex: none; gap: 1.5rem;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 19rem), 1fr));
  box-sizing: border-box; inline-size: 100%; max-inline-size: 70rem;
  padding: 1.5rem 1rem;
}
.states h1 { grid-column: 1 / -1 }
.states h2 { margin: 0 0 .5rem; font-size: 1rem }
miftah-wait:not(:defined) { display: block; min-block-size: 14rem; visibility: hidden }
`;

/** One page with the element in every state, in a language: `/ar` and `/en`. */
export function serveEveryState(): Promise<PageServer> {
  const own = assets.map((asset): [string, Served] => [
    asset.path,
    { contentType: asset.contentType, body: asset.read() },
  ]);
  return serveApplication({
    files: {
      '/ar': html(pageIn('ar')),
      '/en': html(pageIn('en')),
      '/states.css': { contentType: 'text/css', body: STYLE },
      ...Object.fromEntries(own),
    },
    routes: Object.fromEntries(EVERY_STATE.map(({ name, events }) => [`/events/${name}`, events])),
  });
}

function pageIn(language: Language): string {
  const title = { ar: 'انتظار الردّ', en: 'Waiting for the answer' }[language];
  const stylesheet = assets.find(({ path }) => path.endsWith('.css'))?.path;
  const sections = EVERY_STATE.map(
    ({ name, titles, random = '048213', leftMs = 4 * MINUTE_MS }) => {
      const expiresAt = new Date(Date.now() + leftMs).toISOString();
      return `<section><h2>${titles[language]}</h2>
<miftah-wait id="${name}" random="${random}"
  expires-at="${expiresAt}" events-url="/events/${name}"></miftah-wait></section>`;
    },
  );
  return `<!doctype html>
<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="${stylesheet}"><link rel="stylesheet" href="/states.css">
<script type="module" src="/element.js"></script>
<main class="states"><h1>${title}</h1>${sections.join('\n')}</main>`;
}
