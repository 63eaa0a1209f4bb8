import type { FastifyReply, FastifyRequest } from 'fastify';
import { RATE_POLICIES } from '../../values/limits.ts';
import { parseLocale } from '../../values/locale.ts';
import { Secret } from '../../values/secret.ts';
import type { Ms } from '../../values/time.ts';
import { launch } from './launch.flow.ts';
import { returnAgain } from './return-again.flow.ts';
import { browserCookie, setBrowserCookie } from '../../request/caller/browser-cookie.ts';
import type { Endpoint, LiveContext } from '../../request/context.ts';
import { requireOwnPage, routeWithForm } from '../../request/body/forms.ts';
import { attemptAndAddress, consume } from '../../request/caller/caller.ts';
import { pageLocale, queryText } from '../../request/answer/page-locale.ts';
import { LaunchForm } from '../../request/body/page-forms.ts';
import { leadBack, leadTo } from '../../request/answer/send-page.ts';
import { launchedBefore, laterVisit, sendEnded, wayBackOf } from './launched-before.route.ts';
import { sendRefusal } from './send-refusal.route.ts';

/**
 * POST /callback/launch: the button of the launch page. Binds the browser to the attempt and sends
 * it to the provider. A browser that already has the attempt's cookie keeps its secret; another one
 * gets the secret of the form. The page's language is in the address, as for every page.
 */
export const launchForm: Endpoint<LiveContext> = (app, context) => {
  routeWithForm<{ Body: LaunchForm }>(app, {
    method: 'POST',
    url: '/callback/launch',
    config: { page: true, attemptIn: ['body', 'state'], recordedAs: 'launch' },
    schema: { body: LaunchForm },
    onRequest: requireOwnPage(context),
    handler: (request, reply) =>
      press(context, request, reply).catch((error: unknown) =>
        sendRefusal(request, reply, error, { onMismatch: 'browser_mismatch' }),
      ),
  });
};

type FormRequest = FastifyRequest<{ Body: LaunchForm }>;

async function press(
  context: LiveContext,
  request: FormRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const now = context.clock.now();
  const { state: attemptId, secret } = request.body;
  const browser = browserCookie(request, attemptId) ?? secret;
  const locale = parseLocale(queryText(request, 'locale'));
  const key = attemptAndAddress(context, attemptId, request);
  const admit = () => consume(context, reply, RATE_POLICIES.launch, key, now);
  try {
    const pressed = { attemptId, browser, locale, address: context.addresses.of(request), admit };
    const { record, launchUrl } = await launch(context.services, pressed, now);
    setBrowserCookie(reply, record, new Secret(browser), now);
    return await leadTo(request, reply, launchUrl, pageLocale(request, record.locale));
  } catch (error) {
    return pressAgain(context, request, reply, error, now);
  }
}

/** The browser that launched the attempt has come back since: it is led to the application. */
async function pressAgain(
  context: LiveContext,
  request: FormRequest,
  reply: FastifyReply,
  error: unknown,
  now: Ms,
): Promise<FastifyReply> {
  const visit = laterVisit(context, request, reply, request.body.state, now);
  const launched = await launchedBefore(context, visit, error, now);
  if (launched.state === 'redeemed') return sendEnded(context, request, reply, launched);
  const returned = await returnAgain(context.services, visit, now);
  const locale = pageLocale(request, launched.record.locale);
  return leadBack(request, reply, await wayBackOf(context, returned), locale);
}
