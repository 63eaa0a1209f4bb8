import { assets } from '@miftah/pages';
import type {
  FastifyError,
  FastifyInstance,
  FastifyPluginCallback,
  FastifyReply,
  FastifyRequest,
} from 'fastify';
import { acceptOnlyForms } from '../http/form-body.ts';
import { isFromOwnPage } from '../http/own-page.ts';
import { dateAnswers } from '../http/stamp.ts';
import { checkOnly, type SchemaTypes } from '../http/type-provider.ts';
import type { RouteContext } from '../options.ts';
import { decideSignIn } from './decide-sign-in.ts';
import { returnBrowser } from './return-browser.ts';
import { sendAsset } from './send-asset.ts';
import { showConsole } from './show-console.ts';
import { showDesign } from './show-design.ts';
import { showPhone } from './show-phone.ts';
import { showSignIn } from './show-sign-in.ts';
import { replyEnded } from './steps.ts';

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
