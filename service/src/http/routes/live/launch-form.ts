import { RATE_POLICIES } from '../../../domain/limits.ts';
import { parseLocale } from '../../../domain/locale.ts';
import { Secret } from '../../../domain/secret.ts';
import { launch } from '../../../flow/browser/launch.ts';
import { browserCookie, setBrowserCookie } from '../../browser-cookie.ts';
import type { Endpoint, LiveContext } from '../../context.ts';
import { requireOwnPage, routeWithForm } from '../../forms.ts';
import { attemptAndAddress, consume } from '../../limit-rate.ts';
import { pageLocale, queryText } from '../../page-locale.ts';
import { LaunchForm } from '../../page-forms.ts';
import { leadTo } from '../../send-page.ts';
import { sendRefusal } from './send-refusal.ts';

/**
 * POST /callback/launch: the button of the launch page. Binds the browser to the attempt and sends
 * it to the provider. A browser that already has the attempt's cookie keeps its secret; another one
 * gets the secret of the form. The page's language is in the address, as for every page.
 */
export const launchForm: Endpoint<LiveContext> = (app, context) => {
  routeWithForm<{ Body: LaunchForm }>(app, {
    method: 'POST',
    url: '/callback/launch',
    config: { page: true },
    schema: { body: LaunchForm },
    onRequest: requireOwnPage(context),
    handler: async (request, reply) => {
      const now = context.clock.now();
      const { state: attemptId, secret } = request.body;
      const browser = browserCookie(request, attemptId) ?? secret;
      try {
        const locale = parseLocale(queryText(request, 'locale'));
        const key = attemptAndAddress(context, attemptId, request);
        const admit = () => consume(context, reply, RATE_POLICIES.launch, key, now);
        const press = { attemptId, browser, locale, address: request.ip, admit };
        const launched = await launch(context.services, press, now);
        setBrowserCookie(reply, launched.record, new Secret(browser), now);
        const { record, launchUrl } = launched;
        return await leadTo(request, reply, launchUrl, pageLocale(request, record.locale));
      } catch (error) {
        return sendRefusal(request, reply, error, { onMismatch: 'browser_mismatch' });
      }
    },
  });
};
