import { RATE_POLICIES } from '../../domain/limits.ts';
import { decideSignIn } from '../../flow/sign-in.ts';
import type { Endpoint, SimulatorContext } from '../context.ts';
import { refuseCrossSite, routeWithForm } from '../forms.ts';
import { limitByAddress } from '../limit-rate.ts';
import { returnAddress } from '../return-address.ts';
import { SignInForm } from '../wire.ts';
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
      const codeIn = context.tools.clients.find(client)?.codeIn;
      const base = returnBase(context, attempt);
      return reply.redirect(returnAddress(base, attemptId, completionCode.reveal(), codeIn), 303);
    },
  });
};
