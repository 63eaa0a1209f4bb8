import { DEFAULT_LOCALE } from '../engine/locale.ts';
import { requestSession } from '../engine/request-session.ts';
import { replyRefusal } from '../http/faulty-answer.ts';
import { scenarioOf } from '../http/request-scenario.ts';
import type { TypedApp } from '../http/type-provider.ts';
import { SessionBody, SessionQuery } from '../http/wire.ts';
import type { ProviderOptions } from '../options.ts';
import { damageAnswer } from './meet-faults.ts';

/** GET /api/v2/oidc/session: opens a session and gives the address of its sign-in page. */
export function createSession(app: TypedApp, { engine }: ProviderOptions): void {
  const schema = {
    operationId: 'createSession',
    summary: 'Open a sign-in by browser',
    querystring: SessionQuery,
    response: { 200: SessionBody },
  };
  // A HEAD request would open a session that nobody can use.
  const config = { operation: 'session' } as const;
  app.get(
    '/api/v2/oidc/session',
    { schema, config, exposeHeadRoute: false },
    async (request, reply) => {
      const { locale = DEFAULT_LOCALE, requestId } = request.query;
      const scenario = scenarioOf(request, 'redirect');
      const result = requestSession(engine, { locale, requestId, scenario });
      if (!result.ok) return replyRefusal(reply, result);
      if (result.damaged !== null) damageAnswer(request, result.damaged);
      return reply.send(result.session);
    },
  );
}
