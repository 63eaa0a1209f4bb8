import { RATE_POLICIES } from '../../../domain/limits.ts';
import { launch } from '../../../flow/launch.ts';
import { browserCookie, setBrowserCookie } from '../../browser-cookie.ts';
import type { Endpoint, LiveContext } from '../../context.ts';
import { refuseCrossSite, routeWithForm } from '../../forms.ts';
import { spend } from '../../limit-rate.ts';
import { LaunchForm } from '../../wire.ts';
import { sendRefusal } from './launch-or-return.ts';

/** POST /callback/launch: the button of the launch page. Binds the browser and sends it on. */
export const launchForm: Endpoint<LiveContext> = (app, context) => {
  routeWithForm<{ Body: LaunchForm }>(app, {
    method: 'POST',
    url: '/callback/launch',
    config: { page: true },
    schema: { body: LaunchForm },
    onRequest: refuseCrossSite(context),
    handler: async (request, reply) => {
      const now = context.clock.now();
      const { state: attemptId } = request.body;
      spend(context, reply, RATE_POLICIES.launch, attemptId, now);
      const cookie = browserCookie(request, attemptId);
      try {
        const launched = await launch(context.tools, { attemptId, cookie }, now);
        setBrowserCookie(reply, launched.record.attemptId, launched.browserSecret);
        return await reply.redirect(launched.launchUrl, 303);
      } catch (error) {
        return sendRefusal(request, reply, error);
      }
    },
  });
};
