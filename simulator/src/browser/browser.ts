import { assets } from '@miftah/pages';
import type {
  FastifyError,
  FastifyInstance,
  FastifyPluginCallback,
  FastifyReply,
  FastifyRequest,
} from 'fastify';
import { acceptOnlyForms } from '../http/bodies.ts';
import { isFromOwnPage } from '../http/sending-page.ts';
import { dateAnswers } from '../http/stamp.ts';
import { checkOnly, type SchemaTypes, type TypedApp } from '../http/type-provider.ts';
import type { RouteContext } from '../options.ts';
import { sendAsset } from './send-asset.ts';
import { showConsole } from './tool-pages.ts';
import { showDesign } from './tool-pages.ts';
import { showPhone } from './tool-pages.ts';
import { showSignIn } from './show-sign-in.ts';
import { replyEnded, AUTHORIZE_PATH, carryOut, replyReturn } from './steps.ts';
import { SignInForm, SignInQuery, CallbackForm } from '../http/browser-wire.ts';

/** The sign-in by browser: the authorization page, and the callback that the page posts to. */
export const browser: FastifyPluginCallback<RouteContext> = (scope, context, done) => {
  const app = scope.withTypeProvider<SchemaTypes>();
  acceptOnlyForms(scope);
  dateAnswers(scope, context.time.provider);
  app.setValidatorCompiler(checkOnly);
  scope.setErrorHandler(answerError);
  // Checked before the body is read.
  scope.addHook('onRequest', (request, reply, goOn) => {
    if (request.method !== 'POST' || isFromOwnPage(request)) return goOn();
    replyEnded(reply, 'foreign', languageOf(request));
  });
  showSignIn(app, context);
  decideSignIn(app, context);
  returnBrowser(app, context);
  showPhone(app);
  showConsole(app);
  showDesign(app);
  serveAssets(scope);
  done();
};

/** An application with the same pages may already serve these files. */
function serveAssets(scope: FastifyInstance): void {
  for (const asset of assets) {
    if (scope.hasRoute({ method: 'GET', url: asset.path })) continue;
    scope.get(asset.path, { exposeHeadRoute: false, schema: { hide: true } }, (_request, reply) =>
      sendAsset(reply, asset),
    );
  }
}

/** A person always gets a page, whatever is wrong with the address or the form. */
function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  const broken = error.validationContext === undefined && (error.statusCode ?? 500) >= 500;
  if (!broken) return replyEnded(reply, 'unknown', languageOf(request));
  request.log.error(error);
  return replyEnded(reply, 'broken', languageOf(request));
}

function languageOf({ query }: FastifyRequest): 'ar' | 'en' {
  return typeof query === 'object' &&
    query !== null &&
    'ui_locales' in query &&
    query.ui_locales === 'en'
    ? 'en'
    : 'ar';
}

/** POST /authservice/authorize: the person's decision on the sign-in page. */
function decideSignIn(app: TypedApp, context: RouteContext): void {
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

/** POST /api/v2/oidc/callback: the provider's own callback, to which the page posts its result. */
function returnBrowser(app: TypedApp, context: RouteContext): void {
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
