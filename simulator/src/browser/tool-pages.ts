import {
  scopeFaultPage,
  type LanguageLinks,
  phonePage,
  consoleFiles,
  consoleMissingPage,
  consolePage,
  designPage,
} from '@miftah/pages';
import { object, optional, type Static, string } from '@miftah/schema';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LOCALES, type Locale } from '../engine/locale.ts';
import { DEFAULT_SCOPE, isScope } from '../engine/scenario.ts';
import { sendPage } from '../http/page.ts';
import type { TypedApp } from '../http/type-provider.ts';
import { sendAsset } from './send-asset.ts';

const PageQuery = object({
  /** Anything: what is no language leaves the choice to the browser. */
  locale: optional({}),
  /** Anything: who gave a wrong name is told so by a page in their language. */
  scope: optional({}),
});

type PageRequest = Pick<FastifyRequest, 'headers'> & { readonly query: Static<typeof PageQuery> };

/** What the address asks for; else Arabic, but for browsers that want English before it. */
function localeOf({ query, headers }: PageRequest): Locale {
  const named = LOCALES.find((locale) => locale === query.locale);
  if (named !== undefined) return named;
  return /^\s*en(?![a-z\d])/i.test(headers['accept-language'] ?? '') ? 'en' : 'ar';
}

/** The scope of the address; null if it has no name of one. */
function scopeOf({ query: { scope } }: PageRequest): string | null {
  if (scope === undefined) return DEFAULT_SCOPE;
  return typeof scope === 'string' && isScope(scope) ? scope : null;
}

/** In place of the page at `path`. Nothing of the wrong name is repeated. */
function replyScopeFault(request: PageRequest, reply: FastifyReply, path: string): FastifyReply {
  const languageLinks = languageLinksOf(path, DEFAULT_SCOPE);
  const page = scopeFaultPage({ locale: localeOf(request), languageLinks });
  return sendPage(reply.code(404), page);
}

/** The addresses of the page at `path` in both languages. */
function languageLinksOf(path: string, scope: string): LanguageLinks {
  const addressOf = (locale: Locale) => {
    const named = scope === DEFAULT_SCOPE ? {} : { scope };
    const parameters = new URLSearchParams({ locale, ...named });
    return `${path}?${parameters.toString()}`;
  };
  return { ar: addressOf('ar'), en: addressOf('en') };
}

const PHONE_PATH = '/simulator/phone';

/** Where they are: a simulator by itself has other pages than a service. */
const PLACES = { home: '/', console: '/console' } as const;

/** What the page calls the services that most prompts are for. */
const SERVICES = { Login: { ar: 'تسجيل الدخول', en: 'Sign-in' } };

/**
 * GET /simulator/phone: the page where a person answers what waits on the phone. It has no data of
 * its own: those come over the control API, with its token where it asks for one.
 */
export function showPhone(app: TypedApp): void {
  const schema = { hide: true, querystring: PageQuery };
  app.get(PHONE_PATH, { schema, exposeHeadRoute: false }, (request, reply) => {
    const scope = scopeOf(request);
    if (scope === null) return replyScopeFault(request, reply, PHONE_PATH);
    const languageLinks = languageLinksOf(PHONE_PATH, scope);
    const isUsualScope = scope === DEFAULT_SCOPE;
    const locale = localeOf(request);
    const places = (['home', 'console'] as const).filter((place) =>
      app.hasRoute({ method: 'GET', url: PLACES[place] }),
    );
    const page = { locale, languageLinks, scope, isUsualScope, services: SERVICES, places };
    return sendPage(reply, phonePage(page));
  });
}

const CONSOLE_PATH = '/console';
/** What people write who look at the address of an attempt in the console. */
const GUESSED_PATH = '/console/attempts/:id';
const FILE_PATH = '/assets/console-:file';

/**
 * GET /console: the page from which a developer watches and drives the simulator, with its script
 * and its style. The files are read from disk when somebody opens it first.
 */
export function showConsole(app: TypedApp): void {
  const schema = { hide: true, querystring: PageQuery };
  app.get(CONSOLE_PATH, { schema, exposeHeadRoute: false }, (request, reply) => {
    const scope = scopeOf(request);
    if (scope === null) return replyScopeFault(request, reply, CONSOLE_PATH);
    const locale = localeOf(request);
    const languageLinks = languageLinksOf(CONSOLE_PATH, scope);
    const besideService = app.hasRoute({ method: 'GET', url: '/openapi.json' });
    const page = consolePage({ locale, languageLinks, scope, besideService });
    if (page !== null) return sendPage(reply, page);
    return sendPage(reply.code(404), consoleMissingPage({ locale, languageLinks }));
  });
  app.get(GUESSED_PATH, { schema: { hide: true }, exposeHeadRoute: false }, (request, reply) => {
    const [path = '', query] = request.url.split('?', 2);
    const within = path.slice(CONSOLE_PATH.length);
    return reply.redirect(`${CONSOLE_PATH}${query ? `?${query}` : ''}#${within}`);
  });
  const files = { hide: true, params: object({ file: string() }) };
  app.get(FILE_PATH, { schema: files, exposeHeadRoute: false }, (request, reply) => {
    const { script, style } = consoleFiles() ?? {};
    const asked = [script, style].find((asset) => asset?.path === request.url);
    return asked === undefined ? reply.callNotFound() : sendAsset(reply, asked);
  });
}

const DESIGN_PATH = '/simulator/design';

/** GET /simulator/design: what the pages are made of, for those who change them. */
export function showDesign(app: TypedApp): void {
  const schema = { hide: true, querystring: PageQuery };
  app.get(DESIGN_PATH, { schema, exposeHeadRoute: false }, (request, reply) => {
    const languageLinks = languageLinksOf(DESIGN_PATH, DEFAULT_SCOPE);
    return sendPage(reply, designPage({ locale: localeOf(request), languageLinks }));
  });
}
