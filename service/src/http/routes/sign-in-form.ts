import type { FastifyRequest } from 'fastify';
import { RATE_POLICIES } from '../../domain/limits.ts';
import { parseLocale } from '../../domain/locale.ts';
import { decideSignIn } from '../../flow/sign-in.ts';
import type { Endpoint, SimulatorContext } from '../context.ts';
import { refuseCrossSite, routeWithForm } from '../forms.ts';
import { limitByAddress } from '../limit-rate.ts';
import { queryText } from '../page-locale.ts';
import { returnAddress } from '../return-address.ts';
import { SignInForm } from '../wire.ts';
import { DASHBOARD_PATH } from './origin/dashboard.ts';
import { returnBase, sendEnded } from './sign-in-page.ts';

/** POST /callback/sign-in: what the person chose on the sign-in page. Simulator mode only. */
export const signInForm: Endpoint<SimulatorContext> = (app, context) => {
  const countByAddress = limitByAddress(context, RATE_POLICIES.signIn);
  routeWithForm<{ Body: SignInForm }>(app, {
    method: 'POST',
    url: '/callback/sign-in',
    config: { page: true },
    schema: { body: SignInForm },
    onRequest: [refuseCrossSite(context), countByAddress],
    handler: async (request, reply) => {
      const { state, person, decision } = request.body;
      const choice = { attemptId: state, decision, personId: person ?? null };
      const signedIn = await decideSignIn(context.tools, choice, context.clock.now());
      const { attempt, completionCode } = signedIn;
      if (completionCode === null) return sendEnded(request, reply, attempt);
      const { attemptId, client } = attempt.record;
      const members = { attempt_id: attemptId, completion_code: completionCode.reveal() };
      const codeIn = context.tools.clients.find(client)?.codeIn;
      const base = returnBase(context, attempt);
      const address = returnAddress(base, members, codeIn);
      return reply.redirect(inChosenLanguage(context, request, address), 303);
    },
  });
};

/** Only our own stand-in for an application knows this parameter. */
function inChosenLanguage(
  { settings }: SimulatorContext,
  request: FastifyRequest,
  address: string,
): string {
  const chosen = parseLocale(queryText(request, 'locale'));
  const url = new URL(address);
  const isOwn = url.origin === settings.publicUrl && url.pathname === DASHBOARD_PATH;
  if (chosen === null || !isOwn) return address;
  url.searchParams.set('locale', chosen);
  return url.href;
}
