import { RATE_POLICIES } from '../../domain/limits.ts';
import { approveAttempt, findCompletable } from '../../flow/complete-attempt.ts';
import { baseUrl, type Endpoint, type SimulatorContext } from '../context.ts';
import { limitByAddress } from '../limit-rate.ts';
import { problems, TAGS } from '../openapi.ts';
import { authorizationUrl, outcomeSentence } from '../present.ts';
import { CallbackBody, CallbackCompleted } from '../wire.ts';

/** POST /callback: finishes a redirect attempt without a browser. Simulator mode only. */
export const callback: Endpoint<SimulatorContext> = (app, context) => {
  app.route<{ Body: CallbackBody }>({
    method: 'POST',
    url: '/callback',
    config: { flat: true },
    schema: {
      operationId: 'completeRedirect',
      summary: 'Complete a redirect attempt',
      tags: TAGS.attempts,
      body: CallbackBody,
      response: { 200: CallbackCompleted, ...problems(COMPLETING, { body: true }) },
    },
    onRequest: limitByAddress(context, RATE_POLICIES.callback),
    handler: ({ body }) => (body.auto_complete ? complete(body.state) : leave(body.state)),
  });

  async function complete(state: string) {
    const request = { attemptId: state, flow: 'oidc' } as const;
    const { record } = await approveAttempt(context.tools, request, context.clock.now());
    return {
      success: true,
      message: outcomeSentence('completed', record.locale),
      attempt_id: record.attemptId,
      redirect_to: context.settings.dashboardUrl,
    };
  }

  async function leave(state: string) {
    const request = { attemptId: state, flow: 'oidc' } as const;
    const { attempt } = await findCompletable(context.tools, request, context.clock.now());
    return {
      success: true,
      message: outcomeSentence('waiting', attempt.locale),
      attempt_id: attempt.attemptId,
      redirect_to: authorizationUrl(baseUrl(context), attempt.attemptId),
    };
  }
};

export const COMPLETING = [
  'attempt.not_found',
  'attempt.wrong_flow',
  'attempt.expired',
  'attempt.rejected',
  'attempt.failed',
  'rate_limited',
] as const;
