import { MOST_SHOWN, signInPage, type Person } from '@miftah/pages';
import type { Attempt } from '../attempt.ts';
import { simulatorClient } from '../../account/client.ts';
import { Refusal } from '../../errors/refusal.ts';
import { isoTimestamp, SECOND_MS } from '../../values/time.ts';
import type { DocumentType } from '../../account/user.ts';
import { openSignIn } from './sign-in.flow.ts';
import type { TestPerson } from '../../simulate/simulation.port.ts';
import { baseUrl, type Endpoint, type SimulatorContext } from '../../request/context.ts';
import { SIGN_IN_PAGE } from '../../request/answer/openapi.ts';
import { languageLinks, pageLocale, queryText } from '../../request/answer/page-locale.ts';
import { sendPage } from '../../request/answer/send-page.ts';
import { replyDecision, sendEnded } from './sign-in-decision.route.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * GET /callback?state=: the page of authorization_url, where a test person is chosen. Simulator
 * mode only.
 */
export const signIn: Endpoint<SimulatorContext> = (app, context) => {
  app.route({
    method: 'GET',
    url: '/callback',
    // A HEAD request would open the page, on which the person of a chosen outcome acts.
    exposeHeadRoute: false,
    config: { page: true, attemptIn: ['query', 'state'], recordedAs: 'launch' },
    schema: SIGN_IN_PAGE,
    handler: async (request, reply) => {
      const attempt = await openAttempt(context, request);
      if (attempt?.state !== 'pending') return sendEnded(context, request, reply, attempt);
      const act = await actOnPage(context, attempt);
      if (act === null) return sendSignIn(context, request, reply, attempt);
      const { attemptId } = attempt.record;
      const { decision, waitMs } = act;
      if (waitMs <= 0) {
        return replyDecision(context, request, reply, { attemptId, decision, personId: null });
      }
      // The browser opens the page again when the person of the outcome acts.
      reply.header('Refresh', String(Math.ceil(waitMs / SECOND_MS)));
      return sendSignIn(context, request, reply, attempt);
    },
  });
};

/** Null for every attempt that can't be opened; the page does not tell the reason. */
async function openAttempt(
  { services, clock }: SimulatorContext,
  request: FastifyRequest,
): Promise<Attempt | null> {
  try {
    return await openSignIn(services, queryText(request, 'state'), clock.now());
  } catch (error) {
    if (error instanceof Refusal && error.code === 'attempt.not_found') return null;
    throw error;
  }
}

/** What the person of a chosen outcome does on this page; null if nobody acts by themselves. */
async function actOnPage({ services, clock }: SimulatorContext, { record }: Attempt) {
  const now = clock.now();
  const act = await services.simulation.actOnPage(record, now);
  return act === null ? null : { decision: act.decision, waitMs: act.at - now };
}

function sendSignIn(
  context: SimulatorContext,
  request: FastifyRequest,
  reply: FastifyReply,
  attempt: Attempt,
): FastifyReply {
  const { simulation, clients } = context.services;
  const { record } = attempt;
  const locale = pageLocale(request, record.locale);
  const text = queryText(request, 'search');
  const people = simulation.people({ search: text, limit: MOST_SHOWN + 1 }, record);
  const hasSearch = text !== '' || people.length > MOST_SHOWN;
  const action = `${baseUrl(context)}/callback`;
  const page = signInPage({
    locale,
    attemptId: record.attemptId,
    // Carries the chosen language to the pages that follow the form.
    action: `${action}/sign-in?locale=${locale}`,
    languageLinks: languageLinks(request),
    service: clients.find(record.client)?.name ?? simulatorClient('').name,
    people: people.slice(0, MOST_SHOWN).map(personCard),
    search: hasSearch ? { text, action, fields: { state: record.attemptId, locale } } : undefined,
    expiresAt: isoTimestamp(record.expiresAt),
  });
  return sendPage(reply, page, 'self');
}

const KINDS = {
  nin: 'citizen',
  iqama: 'resident',
  visa: 'visitor',
  border: 'border',
} as const satisfies Record<DocumentType, Person['kind']>;

export function personCard(person: TestPerson): Person {
  const { id, nationalId, documentType, arabicName, englishName, isDefault } = person;
  return {
    id,
    nationalId,
    kind: KINDS[documentType],
    arabicName,
    englishName,
    default: isDefault,
  };
}
