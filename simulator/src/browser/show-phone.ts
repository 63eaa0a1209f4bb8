import { phonePage } from '@miftah/pages';
import { DEFAULT_SCOPE } from '../engine/scenario.ts';
import { sendPage } from '../http/page.ts';
import type { TypedApp } from '../http/type-provider.ts';
import { languageLinksOf, localeOf, PageQuery, replyScopeFault, scopeOf } from './page-query.ts';

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
