import { CompleteMfaRequest, MfaCompleted } from '@miftah/contract';
import { RATE_POLICIES } from '../../values/limits.ts';
import { approveAttempt } from './complete-attempt.flow.ts';
import type { Endpoint, SimulatorContext } from '../../request/context.ts';
import { limitByAddress } from '../../request/caller/caller.ts';
import { NO_SECURITY, problems, TAGS } from '../../request/answer/openapi.ts';
import { outcomeSentence } from '../../request/answer/present.ts';
import { COMPLETING } from './callback.route.ts';

/** POST /complete-mfa: approves a phone attempt in place of the person. Simulator mode only. */
export const completeMfa: Endpoint<SimulatorContext> = (app, context) => {
  app.route<{ Body: CompleteMfaRequest }>({
    method: 'POST',
    url: '/complete-mfa',
    config: { flat: 'known', attemptIn: ['body', 'attempt_id'] },
    schema: {
      operationId: 'completeMfa',
      summary: 'Complete a phone attempt',
      tags: TAGS.attempts,
      security: NO_SECURITY,
      body: CompleteMfaRequest,
      response: { 200: MfaCompleted, ...problems(COMPLETING, { body: true }) },
    },
    onRequest: limitByAddress(context, RATE_POLICIES.completeMfa),
    handler: async ({ body }) => {
      const request = { attemptId: body.attempt_id, flow: 'mfa' } as const;
      const { record } = await approveAttempt(context.services, request, context.clock.now());
      return {
        success: true,
        message: outcomeSentence('completed', record.locale),
        attempt_id: record.attemptId,
      };
    },
  });
};
