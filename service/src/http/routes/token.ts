import { AttemptPath, TokenRequest } from '@miftah/contract';
import { OPERATIONS } from '@miftah/contract/operations';
import { isIdempotencyKey } from '../../domain/idempotency.ts';
import { RATE_POLICIES } from '../../domain/limits.ts';
import { issueApiToken } from '../../flow/token/issue-api-token.ts';
import { callerOf } from '../caller.ts';
import type { Endpoint } from '../context.ts';
import { headersNamed } from '../described-headers.ts';
import { limitByCaller } from '../limit-callers.ts';
import { CLIENT_OR_NONE, problems, TAGS } from '../openapi.ts';
import { presentToken } from '../present.ts';
import { fieldRefusal } from '../validation.ts';
import type { FastifyRequest } from 'fastify';

type Shape = { Params: { attempt_id: string }; Body: TokenRequest };

/**
 * POST /token/{attempt_id}: exchanges an authenticated attempt for an API token, once. It is in every
 * mode: what differs, such as the completion code, `issueApiToken` reads from `domain/rules.ts`.
 */
export const token: Endpoint = (app, context) => {
  app.route<Shape>({
    method: 'POST',
    url: '/token/:attempt_id',
    schema: {
      operationId: 'issueToken',
      summary: 'Exchange an authenticated attempt for an API token',
      description: 'Repeat it with the same `Idempotency-Key` if the answer was lost.',
      tags: TAGS.attempts,
      security: CLIENT_OR_NONE,
      params: AttemptPath,
      describedHeaders: headersNamed('Idempotency-Key', 'X-End-User-Address'),
      body: TokenRequest,
      response: { 200: OPERATIONS.issueToken.answer, ...problems(ISSUING, { body: true }) },
    },
    onRequest: limitByCaller(context, RATE_POLICIES.token),
    handler: async (request) => {
      const asked = {
        ...tokenRequest(request),
        client: callerOf(context, request).client?.id ?? null,
      };
      const issued = await issueApiToken(context.services, asked, context.clock.now());
      return { data: presentToken(issued) };
    },
  });
};

function tokenRequest({ params, body, headers }: FastifyRequest<Shape>) {
  return {
    attemptId: params.attempt_id,
    attemptToken: body.attempt_token,
    deviceName: body.device_name ?? null,
    completionCode: body.completion_code ?? null,
    idempotencyKey: idempotencyKeyOf(headers['idempotency-key']),
  };
}

/** @throws Refusal for a key that is malformed, or so short that it could be guessed */
function idempotencyKeyOf(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header === 'string' && isIdempotencyKey(header)) return header;
  throw fieldRefusal('Idempotency-Key', 'format');
}

const ISSUING = [
  'attempt.not_found',
  'attempt.pending',
  'attempt.expired',
  'attempt.rejected',
  'attempt.failed',
  'attempt.completion_required',
  'attempt.already_redeemed',
  'idempotency.mismatch',
  'user.disabled',
  'validation.failed',
  'rate_limited',
] as const;
