import { RATE_POLICIES } from '../../domain/limits.ts';
import type { Endpoint, SimulatorContext } from '../context.ts';
import { refuseCrossSite, routeWithForm } from '../forms.ts';
import { limitByAddress } from '../limit-rate.ts';
import { SignInForm } from '../page-forms.ts';
import { replyDecision } from '../sign-in-decision.ts';

/** POST /callback/sign-in: what the person chose on the sign-in page. Simulator mode only. */
export const signInForm: Endpoint<SimulatorContext> = (app, context) => {
  const countByAddress = limitByAddress(context, RATE_POLICIES.signIn);
  routeWithForm<{ Body: SignInForm }>(app, {
    method: 'POST',
    url: '/callback/sign-in',
    config: { page: true },
    schema: { body: SignInForm },
    onRequest: [refuseCrossSite(context), ...countByAddress],
    handler: async (request, reply) => {
      const { state, decision, person } = request.body;
      const choice = { attemptId: state, decision, personId: person ?? null };
      return replyDecision(context, request, reply, choice);
    },
  });
};
