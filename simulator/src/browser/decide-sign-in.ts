import { SignInForm, SignInQuery } from '../http/browser-wire.ts';
import type { TypedApp } from '../http/type-provider.ts';
import type { Desk } from '../options.ts';
import { AUTHORIZE_PATH, replyDecided, replyEnded, replyReturn } from './steps.ts';

/** POST /authservice/authorize: the person's decision on the sign-in page. */
export function decideSignIn(app: TypedApp, desk: Desk): void {
  const schema = { hide: true, querystring: SignInQuery, body: SignInForm };
  app.post(AUTHORIZE_PATH, { schema }, (request, reply) => {
    const { engine } = desk;
    const { state, decision, person: personId } = request.body;
    const locale = request.query.ui_locales;
    const found = engine.signIn(state);
    if (found === null) return replyEnded(reply, desk, 'unknown', locale);
    const { id: promptId } = found.prompt;
    const decided = engine.decide({ promptId, decision, personId });
    const fault = !decided.ok && decided.reason !== 'ended';
    if (fault) return replyEnded(reply, desk, 'invalid', locale);
    const now = engine.signIn(state) ?? found;
    // A refusal has no result for the provider's callback, so the browser goes straight back.
    if (decided.ok && now.stage === 'rejected') return replyReturn(reply, desk, now.prompt, state);
    return replyDecided(reply, desk, now, { state, locale });
  });
}
