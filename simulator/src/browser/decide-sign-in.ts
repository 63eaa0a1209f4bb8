import { SignInForm, SignInQuery } from '../http/browser-wire.ts';
import type { TypedApp } from '../http/type-provider.ts';
import type { RouteContext } from '../options.ts';
import { AUTHORIZE_PATH, replyDecided, replyEnded, replyReturn } from './steps.ts';

/** POST /authservice/authorize: the person's decision on the sign-in page. */
export function decideSignIn(app: TypedApp, context: RouteContext): void {
  const schema = { hide: true, querystring: SignInQuery, body: SignInForm };
  app.post(AUTHORIZE_PATH, { schema }, (request, reply) => {
    const { engine } = context;
    const { state, decision, person: personId } = request.body;
    const locale = request.query.ui_locales;
    const found = engine.signIn(state);
    if (found === null) return replyEnded(reply, context, 'unknown', locale);
    const { id: promptId } = found.prompt;
    const decided = engine.decide({ promptId, decision, personId });
    const fault = !decided.ok && decided.reason !== 'ended';
    if (fault) return replyEnded(reply, context, 'invalid', locale);
    const now = engine.signIn(state) ?? found;
    // A refusal has no result for the provider's callback, so the browser goes straight back.
    if (decided.ok && now.stage === 'rejected') {
      return replyReturn(reply, context, now.prompt, state);
    }
    return replyDecided(reply, context, now, { state, locale });
  });
}
