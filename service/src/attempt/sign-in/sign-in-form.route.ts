import { RATE_POLICIES } from '../../values/limits.ts';
import type { Endpoint, SimulatorContext } from '../../request/context.ts';
import { refuseCrossSite, routeWithForm } from '../../request/body/forms.ts';
import { limitByAddress } from '../../request/caller/caller.ts';
import { SignInForm } from '../../request/body/page-forms.ts';
import { replyDecision } from './sign-in-decision.route.ts';

/** POST /callback/sign-in: what the person chose on the sign-in page. Simulator mode only. */
export const signInForm: Endpoint<SimulatorContext> = (app, context) => {
  const countByAddress = limitByAddress(context, RATE_POLICIES.signIn);
  routeWithForm<{ Body: SignInForm }>(app, {
    method: 'POST',
    url: '/callback/sign-in',
    config: { page: true, attemptIn: ['body', 'state'], recordedAs: 'callback' },
    schema: { body: SignInForm },
    onRequest: [refuseCrossSite(context), ...countByAddress],
    handler: async (request, reply) => {
      const { state, decision, person } = request.body;
      const choice = { attemptId: state, decision, personId: person ?? null };
      return replyDecision(context, request, reply, choice);
    },
  });
};
