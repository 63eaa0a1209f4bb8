import { receivePush } from '../../../flow/phone/receive-push.ts';
import type { Endpoint, LiveContext } from '../../context.ts';
import { PushMessageBody } from '../../wire.ts';

/**
 * POST /provider/mfa-callback: the provider sends a signed result. There is no rate limit by
 * address: the provider's messages must not be refused, and refusing a wrong message is cheap.
 */
export const mfaCallback: Endpoint<LiveContext> = (app, context) => {
  app.route<{ Body: PushMessageBody }>({
    method: 'POST',
    url: '/provider/mfa-callback',
    schema: { body: PushMessageBody },
    handler: async ({ body }) => {
      await receivePush(context.services, body, context.clock.now());
      return { received: true };
    },
  });
};
