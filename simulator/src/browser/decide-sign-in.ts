import { SignInForm, SignInQuery } from '../http/browser-wire.ts';
import type { TypedApp } from '../http/type-provider.ts';
import type { RouteContext } from '../options.ts';
import { AUTHORIZE_PATH, carryOut, replyEnded } from './steps.ts';

/** POST /authservice/authorize: the person's decision on the sign-in page. */
export function decideSignIn(app: TypedApp, context: RouteContext): void {
  const schema = { hide: true, querystring: SignInQuery, body: SignInForm };
  app.post(AUTHORIZE_PATH, { schema }, (request, reply) => {
    const { engine } = context;
    const { state, decision, person: personId } = request.body;
    const locale = request.query.ui_locales;
    const found = engine.signIn(state);
    if (found === null) return replyEnded(reply, 'unknown', locale);
    return carryOut(reply, context, found, { decision, by: 'person', personId, state, locale });
  });
}
