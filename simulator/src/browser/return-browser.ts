import { CallbackForm } from '../http/browser-wire.ts';
import type { TypedApp } from '../http/type-provider.ts';
import type { RouteContext } from '../options.ts';
import { replyEnded, replyReturn } from './steps.ts';

/** POST /api/v2/oidc/callback: the provider's own callback, to which the page posts its result. */
export function returnBrowser(app: TypedApp, context: RouteContext): void {
  const schema = { hide: true, body: CallbackForm };
  app.post('/api/v2/oidc/callback', { schema }, async (request, reply) => {
    const { state, id_token: token } = request.body;
    const { engine, signer } = context;
    const prompt = engine.signIn(state)?.prompt;
    if (prompt === undefined) return replyEnded(reply, 'unknown', 'ar');
    const claims = await signer.read(token, engine.now());
    const ours = claims !== null && claims['nonce'] === prompt.session?.nonce;
    if (!ours) return replyEnded(reply, 'invalid', prompt.locale);
    return replyReturn(reply, context, prompt, state);
  });
}
