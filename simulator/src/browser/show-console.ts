import { consoleFiles, consoleMissingPage, consolePage } from '@miftah/pages';
import { object, string } from '@miftah/schema';
import { sendPage } from '../http/page.ts';
import type { TypedApp } from '../http/type-provider.ts';
import { languageLinksOf, localeOf, PageQuery, replyScopeFault, scopeOf } from './page-query.ts';
import { sendAsset } from './send-asset.ts';

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
