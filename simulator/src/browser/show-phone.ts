import { phonePage } from '@miftah/pages';
import { object, oneOf, optional, string } from '@miftah/schema';
import { LOCALES, type Locale } from '../engine/locale.ts';
import { DEFAULT_SCOPE, SCOPE_PATTERN } from '../engine/scenario.ts';
import { sendPage } from '../http/page.ts';
import type { TypedApp } from '../http/type-provider.ts';

const PHONE_PATH = '/simulator/phone';

const PhoneQuery = object({
  locale: optional(oneOf(LOCALES)),
  scope: optional(string({ pattern: SCOPE_PATTERN })),
});

/** What the page calls the services that most prompts are for. */
const SERVICES = { Login: { ar: 'تسجيل الدخول', en: 'Sign-in' } };

/**
 * GET /simulator/phone: the page where a person answers what waits on the phone. It has no data of
 * its own: those come over the control API, with its token where it asks for one.
 */
export function showPhone(app: TypedApp): void {
  const schema = { hide: true, querystring: PhoneQuery };
  app.get(PHONE_PATH, { schema, exposeHeadRoute: false }, ({ query, headers }, reply) => {
    const locale = query.locale ?? preferred(headers['accept-language']);
    const scope = query.scope ?? DEFAULT_SCOPE;
    const languageLinks = { ar: addressOf('ar', query.scope), en: addressOf('en', query.scope) };
    const isUsualScope = scope === DEFAULT_SCOPE;
    const page = { locale, languageLinks, scope, isUsualScope, services: SERVICES };
    return sendPage(reply, phonePage(page), null);
  });
}

function addressOf(locale: Locale, scope: string | undefined): string {
  const parameters = new URLSearchParams({ locale, ...(scope === undefined ? {} : { scope }) });
  return `${PHONE_PATH}?${parameters.toString()}`;
}

/** Arabic, but for browsers that want English before it. */
function preferred(languages = ''): Locale {
  return /^\s*en\b/i.test(languages) ? 'en' : 'ar';
}
