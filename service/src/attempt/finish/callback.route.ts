import { CallbackRequest, CallbackCompleted } from '@miftah/contract';
import type { Attempt } from '../attempt.ts';
import { RATE_POLICIES } from '../../values/limits.ts';
import { approveAttempt, leaveAttempt } from './complete-attempt.flow.ts';
import { isTokenReady } from '../read-attempt.flow.ts';
import { baseUrl, type Endpoint, type SimulatorContext } from '../../request/context.ts';
import { limitByAddress } from '../../request/caller/caller.ts';
import { NO_SECURITY, problems, TAGS } from '../../request/answer/openapi.ts';
import { authorizationUrl, outcomeSentence } from '../../request/answer/present.ts';

/** POST /callback: finishes a redirect attempt without a browser. Simulator mode only. */
export const callback: Endpoint<SimulatorContext> = (app, context) => {
  app.route<{ Body: CallbackRequest }>({
    method: 'POST',
    url: '/callback',
    config: { flat: 'known', attemptIn: ['body', 'state'] },
    schema: {
      operationId: 'completeRedirect',
      summary: 'Complete a redirect attempt',
      tags: TAGS.attempts,
      security: NO_SECURITY,
      body: CallbackRequest,
      response: { 200: CallbackCompleted, ...problems(COMPLETING, { body: true }) },
    },
    onRequest: limitByAddress(context, RATE_POLICIES.callback),
    handler: async ({ body }) => {
      const request = { attemptId: body.state, flow: 'oidc' } as const;
      const act = body.auto_complete ? approveAttempt : leaveAttempt;
      return present(await act(context.services, request, context.clock.now()));
    },
  });

  /**
   * Describes the attempt's state, not the request: an authenticated attempt is completed even if
   * `auto_complete` was false.
   */
  function present(attempt: Attempt) {
    const { attemptId, locale } = attempt.record;
    const done = isTokenReady(attempt);
    return {
      success: true,
      message: outcomeSentence(done ? 'completed' : 'waiting', locale),
      attempt_id: attemptId,
      redirect_to: done
        ? context.settings.dashboardUrl
        : authorizationUrl(baseUrl(context), attemptId),
    };
  }
};

export const COMPLETING = [
  'attempt.not_found',
  'attempt.wrong_flow',
  'attempt.pending',
  'attempt.expired',
  'attempt.rejected',
  'attempt.cancelled',
  'attempt.failed',
  'rate_limited',
] as const;
