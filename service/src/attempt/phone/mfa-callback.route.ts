import { openObject, string, type Static } from '@miftah/schema';
import { receivePush } from './receive-push.flow.ts';
import type { Endpoint, LiveContext } from '../../request/context.ts';

/** The provider's message. It may have more members, which are ignored. */
const PushMessageBody = openObject({
  token: string({ maxLength: 16 * 1024 }),
  transId: string(),
  requestId: string(),
});
type PushMessageBody = Static<typeof PushMessageBody>;

/**
 * POST /provider/mfa-callback: the provider sends a signed result. There is no rate limit by
 * address: the provider's messages must not be refused, and refusing a wrong message is cheap.
 */
export const mfaCallback: Endpoint<LiveContext> = (app, context) => {
  app.route<{ Body: PushMessageBody }>({
    method: 'POST',
    url: '/provider/mfa-callback',
    config: { attemptIn: ['body', 'requestId'], recordedAs: 'push_callback' },
    schema: { body: PushMessageBody },
    handler: async ({ body }) => {
      await receivePush(context.services, body, context.clock.now());
      return { received: true };
    },
  });
};
