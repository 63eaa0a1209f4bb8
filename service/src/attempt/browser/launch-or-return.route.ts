import { endedPage, launchPage } from '@miftah/pages';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type AttemptId, isUuid } from '../../values/ids.ts';
import { RATE_POLICIES } from '../../values/limits.ts';
import { returnedState } from '../provider-transaction.ts';
import { finishReturn, type Unverifiable } from './finish-return.flow.ts';
import { newBrowserSecret, openLaunch, type Launchable } from './launch.flow.ts';
import { requireReturnTarget } from './return-target.flow.ts';
import { browserCookie } from '../../request/caller/browser-cookie.ts';
import { callerKeyOf, attemptAndAddress, consume } from '../../request/caller/caller.ts';
import { baseUrl, type Endpoint, type LiveContext } from '../../request/context.ts';
import { SIGN_IN_PAGE } from '../../request/answer/openapi.ts';
import { languageLinks, pageLocale, queryText } from '../../request/answer/page-locale.ts';
import { nameAttempt } from '../../request/record/record-exchanges.ts';
import { placesOf } from '../../request/answer/reply-error.ts';
import { leadBack, sendPage } from '../../request/answer/send-page.ts';
import { launchedBefore, laterVisit, sendEnded, wayBackOf } from './launched-before.route.ts';
import { sendRefusal } from './send-refusal.route.ts';

/**
 * GET /callback?state=: both the launch page and the provider's return. They are told apart by the
 * state: an attempt's id is a UUID, and no state of the provider is one.
 */
export const launchOrReturn: Endpoint<LiveContext> = (app, context) => {
  app.route({
    method: 'GET',
    url: '/callback',
    // A HEAD request would use up the provider's result, or replace the completion code.
    exposeHeadRoute: false,
    config: { page: true, repeatable: true, attemptIn: ['query', 'state'], recordedAs: 'launch' },
    schema: SIGN_IN_PAGE,
    handler: async (request, reply) => {
      const state = queryText(request, 'state');
      try {
        return isUuid(state)
          ? await showLaunch(context, request, reply, state)
          : await comeBack(context, request, reply, state);
      } catch (error) {
        // A return in another browser has spoiled the attempt, so no browser can finish it.
        return sendRefusal(request, reply, error, { onMismatch: 'spoiled' });
      }
    },
  });
};

/**
 * The browser that launched the attempt sees the page after its return too: it has gone back, or
 * loads the page again, and the button leads on to the application.
 */
async function showLaunch(
  context: LiveContext,
  request: FastifyRequest,
  reply: FastifyReply,
  attemptId: string,
): Promise<FastifyReply> {
  const { services, clock } = context;
  const now = clock.now();
  try {
    const opened = await openLaunch(services, attemptId, now);
    return await sendLaunch(context, request, reply, opened);
  } catch (error) {
    const visit = laterVisit(context, request, reply, attemptId, now);
    const launched = await launchedBefore(context, visit, error, now);
    if (launched.state !== 'authenticated') return sendEnded(context, request, reply, launched);
    const { client } = requireReturnTarget(services, launched.record);
    return sendLaunch(context, request, reply, { record: launched.record, client });
  }
}

async function sendLaunch(
  context: LiveContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { record, client }: Pick<Launchable, 'record' | 'client'>,
): Promise<FastifyReply> {
  const { services, settings, clock } = context;
  const key = attemptAndAddress(context, record.attemptId, request);
  await consume(context, reply, RATE_POLICIES.launchPage, key, clock.now());
  const locale = pageLocale(request, record.locale);
  const page = launchPage({
    locale,
    languageLinks: languageLinks(request),
    attemptId: record.attemptId,
    // A new secret for each view, and not stored: opening the page changes nothing.
    secret: newBrowserSecret(services).reveal(),
    action: `${baseUrl(context)}/callback/launch?locale=${locale}`,
    service: client.name,
    rehearsal: services.rules.launchIsRehearsed,
    simulation: settings.mode === 'simulator',
  });
  // Under `no-referrer` a browser would hide the origin of the form (Fetch, section 3.2.5). With
  // `same-origin` it tells us the origin, but no other site.
  reply.header('referrer-policy', 'same-origin');
  return sendPage(reply, page, 'self');
}

async function comeBack(
  context: LiveContext,
  request: FastifyRequest,
  reply: FastifyReply,
  state: string,
): Promise<FastifyReply> {
  const { services, clock } = context;
  const now = clock.now();
  const back = {
    state: returnedState(state),
    cookieOf: (attemptId: string) => {
      nameAttempt(reply, attemptId, 'callback');
      return browserCookie(request, attemptId);
    },
    address: context.addresses.of(request),
    admit: (attemptId: AttemptId) => consume(context, reply, RATE_POLICIES.return, attemptId, now),
    admitStranger: () =>
      consume(context, reply, RATE_POLICIES.returnFailures, callerKeyOf(context, request), now),
  };
  const returned = await finishReturn(services, back, now);
  if ('waitSeconds' in returned) return sendWait(request, reply, returned);
  const locale = pageLocale(request, returned.record.locale);
  return leadBack(request, reply, await wayBackOf(context, returned), locale);
}

/** The page loads its address again by itself. */
function sendWait(
  request: FastifyRequest,
  reply: FastifyReply,
  { record, waitSeconds }: Unverifiable,
): FastifyReply {
  reply.status(503).header('retry-after', waitSeconds).header('refresh', waitSeconds);
  const locale = pageLocale(request, record.locale);
  return sendPage(
    reply,
    endedPage({
      locale,
      kind: 'waiting',
      languageLinks: languageLinks(request),
      places: placesOf(request.server),
      requestId: request.id,
    }),
  );
}
