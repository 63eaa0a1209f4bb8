import { AttemptPath, TokenRequest } from '@miftah/contract';
import { OPERATIONS } from '@miftah/contract/operations';
import { KEY_MISSING } from '../../errors/notes.ts';
import { Refusal } from '../../errors/refusal.ts';
import type { Rules } from '../rules.ts';
import { isIdempotencyKey } from './idempotency.ts';
import { RATE_POLICIES } from '../../values/limits.ts';
import { issueApiToken } from './issue-api-token.flow.ts';
import { callerOf, limitByCaller } from '../../request/caller/caller.ts';
import type { Endpoint } from '../../request/context.ts';
import { headersNamed } from '../../request/answer/described-headers.ts';
import { CLIENT_OR_NONE, problems, TAGS } from '../../request/answer/openapi.ts';
import { presentToken } from '../../request/answer/present.ts';
import { fieldRefusal } from '../../request/body/validation.ts';
import type { FastifyRequest } from 'fastify';

type Shape = { Params: { attempt_id: string }; Body: TokenRequest };

/**
 * POST /token/{attempt_id}: exchanges an authenticated attempt for an API token, once. It is in every
 * mode: what differs, such as the completion code, `issueApiToken` reads from `attempt/rules.ts`.
 */
export const token: Endpoint = (app, context) => {
  app.route<Shape>({
    method: 'POST',
    url: '/token/:attempt_id',
    config: { attemptIn: ['params', 'attempt_id'] },
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
      try {
        const issued = await issueApiToken(context.services, asked, context.clock.now());
        return { data: presentToken(issued) };
      } catch (error) {
        throw hasNoKey(error, asked.client, context.services.rules)
          ? new Refusal('attempt.not_found', { note: KEY_MISSING })
          : error;
      }
    },
  });
};

/** Asked of the request alone, so that the answer is the same for every id. */
function hasNoKey(error: unknown, client: string | null, { redeemedBy }: Rules): boolean {
  const isHidden = error instanceof Refusal && error.code === 'attempt.not_found';
  return isHidden && client === null && redeemedBy === 'owner';
}

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
  'attempt.cancelled',
  'attempt.failed',
  'attempt.completion_required',
  'attempt.already_redeemed',
  'idempotency.mismatch',
  'user.disabled',
  'validation.failed',
  'rate_limited',
] as const;
