import { DEFAULT_LOCALE } from '../engine/locale.ts';
import { closingOf } from '../http/closing.ts';
import { replyPush } from '../http/reply-push.ts';
import { scenarioOf } from '../http/request-scenario.ts';
import type { TypedApp } from '../http/type-provider.ts';
import { PushAnswer, PushBody, PushQuery } from '../http/wire.ts';
import type { ProviderOptions } from '../options.ts';

/** POST /api/v1/mfa/request: sends a prompt to the person's phone. */
export function createPush(app: TypedApp, options: ProviderOptions): void {
  const { engine, timer, resultSender, pushStatus } = options;
  const closing = closingOf(app);
  const schema = {
    operationId: 'requestMfa',
    summary: 'Ask a person on the phone',
    querystring: PushQuery,
    body: PushBody,
    response: { [pushStatus]: PushAnswer },
  };
  app.post(
    '/api/v1/mfa/request',
    { schema, config: { operation: 'mfa_request' } },
    async (request, reply) => {
      const { local: locale = DEFAULT_LOCALE, requestId } = request.query;
      const { nationalId, service } = request.body;
      const scenario = scenarioOf(request, 'push');
      const result = engine.createPush({ requestId, locale, nationalId, service, scenario });
      if (result.ok) await resultSender?.deliverBeforeReply(result.promptId);
      return replyPush(reply.code(pushStatus), result, timer, closing);
    },
  );
}
