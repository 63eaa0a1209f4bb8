import { relayEvents, type Attempt } from '@miftah/client';
import type { MiftahWait } from '@miftah/client/element';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { openTab } from '../../../../scripts/browser.ts';
import { html, serveApplication, type PageServer, type Route } from './page-server.ts';

/** The address of the application that relays the events of its session's attempt. */
export const EVENTS = '/login/events';

/** Keeps what the element has said to its page. */
const LISTENER = `
globalThis.heard = [];
for (const name of ['miftah-end', 'miftah-expired']) {
  document.addEventListener(name, ({ detail }) => globalThis.heard.push([name, detail]));
}`;

export interface WaitingPage {
  readonly page: Page;
  /** What the browser reported as wrong. */
  readonly complaints: readonly string[];
  readonly server: PageServer;
  /** The requests of the browser, whatever their address. */
  readonly requested: readonly string[];
  readonly state: () => Promise<string>;
  /** The text of a part; empty when it is not shown. */
  readonly text: (part: string) => Promise<string>;
  /** The events of the element, with their details. */
  readonly heard: () => Promise<readonly (readonly [string, unknown])[]>;
}

export interface Waiting {
  readonly browser: Browser;
  /** Opens the tab where the page needs nothing of its own context (scripts/shared-tab.ts). */
  readonly take?: () => ReturnType<typeof openTab>;
  /** What answers at the address of the events. */
  readonly events: Route;
  /** Attributes of the element, beside the address of the events; null leaves it out. */
  readonly attributes?: Readonly<Record<string, string | null>>;
  readonly language?: string;
  readonly context?: BrowserContextOptions;
  /** Styles of the page. */
  readonly css?: string;
  /** False: the element's script does not come by itself. */
  readonly isDefined?: boolean;
  /** True: the test moves the clock of the page, by `page.clock`. */
  readonly movesClock?: boolean;
  /** Runs before any script of the page. */
  readonly before?: string;
}

/** The application's side of a wait, as an application writes it. */
export function relaying(attempt: Attempt): Route {
  return () => relayEvents(attempt);
}

/** The attributes for an attempt by phone. */
export function attributesOf({ random = '', expiresAt }: Attempt): Record<string, string> {
  return { random, 'expires-at': expiresAt.toISOString() };
}

/** Opens a page of an application with the element, for the test. */
export async function openWait(waiting: Waiting): Promise<WaitingPage> {
  const server = await serveWait(waiting);
  const { take, context, movesClock, before } = waiting;
  const isUsual = context === undefined && movesClock !== true && before === undefined;
  const tab =
    isUsual && take !== undefined ? await take() : await openTab(waiting.browser, context);
  onTestFinished(() => tab[Symbol.asyncDispose]());
  const { page, complaints } = tab;
  const requested: string[] = [];
  page.on('request', (request) => requested.push(request.url()));
  if (movesClock === true) await page.clock.install();
  if (before !== undefined) await page.addInitScript(before);
  await page.goto(server.origin);
  const inside = page.locator('miftah-wait');
  return {
    page,
    complaints,
    server,
    requested,
    state: () => inside.evaluate((element) => (element as MiftahWait).state),
    text: async (part) => (await inside.locator(`[part=${part}]:visible`).allInnerTexts()).join(),
    heard: () => page.evaluate('globalThis.heard'),
  };
}

async function serveWait(waiting: Waiting): Promise<PageServer> {
  const server = await serveApplication({
    files: {
      '/': html(pageWith(waiting)),
      '/listen.js': { contentType: 'text/javascript', body: LISTENER },
      '/app.css': { contentType: 'text/css', body: waiting.css ?? '' },
    },
    routes: { [EVENTS]: waiting.events },
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

function pageWith({ attributes = {}, language = 'en', isDefined = true }: Waiting): string {
  const all = Object.entries({ 'events-url': EVENTS, ...attributes });
  const written = all.map(([name, value]) =>
    value === null ? '' : `${name}="${value.replaceAll('"', '&quot;')}"`,
  );
  const element = isDefined ? '<script type="module" src="/element.js"></script>' : '';
  return `<!doctype html><html lang="${language}"><title>Sign in</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/app.css">
<script src="/listen.js"></script>${element}
<main><h1>Sign in</h1><miftah-wait ${written.join(' ')}></miftah-wait></main>`;
}
