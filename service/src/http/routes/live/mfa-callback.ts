import { receivePush } from '../../../flow/phone/receive-push.ts';
import type { Endpoint, LiveContext } from '../../context.ts';
import { PushMessageBody } from '../../wire.ts';

/**
 * POST /provider/mfa-callback: the provider brings a signed result. No limit by address: it is the
 * one caller whose messages must not be turned away, and every message is cheap to refuse.
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
