import { CompleteMfaRequest, MfaCompleted } from '@miftah/contract';
import { RATE_POLICIES } from '../../values/limits.ts';
import { confirmPhone } from './confirm-phone.flow.ts';
import { attemptTokenOf, limitByCaller } from '../../request/caller/caller.ts';
import type { Endpoint, LiveContext } from '../../request/context.ts';
import { headersNamed } from '../../request/answer/described-headers.ts';
import { ATTEMPT_TOKEN_SECURITY, problems, TAGS } from '../../request/answer/openapi.ts';
import { outcomeSentence } from '../../request/answer/present.ts';

/**
 * POST /complete-mfa in live mode: says whether the signed approval has arrived, and approves
 * nothing.
 */
export const confirmMfa: Endpoint<LiveContext> = (app, context) => {
  app.route<{ Body: CompleteMfaRequest }>({
    method: 'POST',
    url: '/complete-mfa',
    config: { flat: 'proven', attemptIn: ['body', 'attempt_id'] },
    schema: {
      operationId: 'completeMfa',
      summary: 'Ask whether a phone attempt is complete',
      tags: TAGS.attempts,
      security: ATTEMPT_TOKEN_SECURITY,
      describedHeaders: headersNamed('X-End-User-Address'),
      body: CompleteMfaRequest,
      response: { 200: MfaCompleted, ...problems(CONFIRMING, { body: true }) },
    },
    onRequest: [
      async (request) => void attemptTokenOf(request),
      ...limitByCaller(context, RATE_POLICIES.completeMfa),
    ],
    handler: async (request) => {
      const attemptToken = attemptTokenOf(request);
      const caller = { attemptId: request.body.attempt_id, attemptToken };
      const record = await confirmPhone(context.services, caller, context.clock.now());
      return {
        success: true,
        message: outcomeSentence('completed', record.locale),
        attempt_id: record.attemptId,
      };
    },
  });
};

const CONFIRMING = [
  'attempt.token_missing',
  'attempt.not_found',
  'attempt.wrong_flow',
  'attempt.pending',
  'attempt.expired',
  'attempt.rejected',
  'attempt.cancelled',
  'attempt.failed',
  'provider.unavailable',
  'provider.timeout',
  'provider.bad_response',
  'rate_limited',
] as const;
