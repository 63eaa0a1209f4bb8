import { MOST_SHOWN, signInPage, type Person as ShownPerson } from '@miftah/pages';
import type { AuthorizeQuery as Query } from '../engine/prompts/authorize.ts';
import { actOnPage, type RedirectPrompt } from '../engine/prompts/prompts.ts';
import { AuthorizeQuery } from '../http/browser-wire.ts';
import { sendPage } from '../http/page.ts';
import { isoTimestamp } from '../http/timestamp.ts';
import type { TypedApp } from '../http/type-provider.ts';
import { recordPage } from '../journal/record-act.ts';
import type { RouteContext } from '../options.ts';
import { AUTHORIZE_PATH, carryOut, replyDecided, replyEnded } from './steps.ts';
import type { DocumentType } from '../engine/people/national-id.ts';
import type { Person } from '../engine/people/person.ts';

/** GET /authservice/authorize: the sign-in page of a session, where a person is chosen. */
export function showSignIn(app: TypedApp, context: RouteContext): void {
  const schema = { hide: true, querystring: AuthorizeQuery };
  app.get(AUTHORIZE_PATH, { schema, exposeHeadRoute: false }, async (request, reply) => {
    const { query } = request;
    const { state, ui_locales: locale } = query;
    const found = context.engine.authorize(query);
    if (found === null) return replyEnded(reply, 'unknown', locale);
    if (found.stage !== 'open') return replyDecided(reply, context, found, { state, locale });
    const act = actOnPage(found.prompt);
    const waitMs = act === null ? 0 : act.at - context.engine.now();
    if (act !== null && waitMs <= 0) {
      return carryOut(reply, context, found, {
        decision: act.decision,
        by: 'outcome',
        state,
        locale,
      });
    }
    // The browser opens the page again when the person of the outcome acts.
    if (act !== null) reply.header('Refresh', String(Math.ceil(waitMs / 1000)));
    recordPage(context, found.prompt);
    return sendPage(reply, await pageFor(context, found.prompt, query), 'self');
  });
}

type Asked = Query & { readonly search?: string };

/** The application is called as on the page of the service before, where the service is in this process. */
async function pageFor({ engine, attempts }: RouteContext, prompt: RedirectPrompt, query: Asked) {
  const { people } = engine.scopes.of(prompt.scope).directory;
  const { search: text = '', ...fields } = query;
  const { state, ui_locales: locale } = query;
  const found = people.find({ search: text, after: null, limit: MOST_SHOWN + 1 }) ?? [];
  const hasSearch = text !== '' || found.length > MOST_SHOWN;
  const origin = await attempts?.originOf(prompt.requestId, prompt.scope);
  return signInPage({
    locale,
    attemptId: prompt.requestId,
    state,
    action: `${AUTHORIZE_PATH}?ui_locales=${locale}`,
    languageLinks: { ar: inLanguage(query, 'ar'), en: inLanguage(query, 'en') },
    service: origin?.application ?? new URL(engine.settings.clientId).host,
    people: found.slice(0, MOST_SHOWN).map((person) => shownPerson(person, people.fallback)),
    search: hasSearch ? { text, action: AUTHORIZE_PATH, fields } : undefined,
    expiresAt: isoTimestamp(prompt.expiresAt),
  });
}

function inLanguage(query: Query, locale: Query['ui_locales']): string {
  const parameters = new URLSearchParams({ ...query, ui_locales: locale });
  return `${AUTHORIZE_PATH}?${parameters.toString()}`;
}

const KINDS = {
  nin: 'citizen',
  iqama: 'resident',
  visa: 'visitor',
  border: 'border',
} as const satisfies Record<DocumentType, ShownPerson['kind']>;

/** A person as the pages show one. */
function shownPerson(person: Person, fallback: Person): ShownPerson {
  return {
    id: person.id,
    arabicName: person.arabicName.full,
    englishName: person.englishName.full,
    kind: KINDS[person.documentType],
    nationalId: person.nationalId,
    default: person.id === fallback.id,
  };
}
