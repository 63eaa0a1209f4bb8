import { RATE_POLICIES } from '../../domain/limits.ts';
import { parseLocale, DEFAULT_LOCALE } from '../../domain/locale.ts';
import { parseNationalId } from '../../domain/national-id.ts';
import { startPush, startRedirect } from '../../flow/start-attempt.ts';
import { baseUrl, type Endpoint } from '../context.ts';
import { limitByAddress } from '../limit-rate.ts';
import { problems, TAGS } from '../openapi.ts';
import { presentStarted } from '../present.ts';
import { fieldRefusal } from '../validation.ts';
import { union } from '@miftah/schema';
import { dataOf, MfaStarted, OidcStarted, StartBody } from '../wire.ts';

/** POST /start: the members of the body choose the flow. */
export const start: Endpoint = (app, context) => {
  app.route<{ Body: StartBody }>({
    method: 'POST',
    url: '/start',
    schema: {
      operationId: 'startAttempt',
      summary: 'Start an attempt',
      description: 'With `national_id`: a push to the phone. Without: a browser redirect.',
      tags: TAGS.attempts,
      body: StartBody,
      response: {
        200: dataOf(union(OidcStarted, MfaStarted)),
        ...problems(STARTING, { body: true }),
      },
    },
    onRequest: limitByAddress(context, RATE_POLICIES.start),
    handler: async ({ body }) => {
      const started = await startFlow(body);
      return { data: presentStarted(started, baseUrl(context)) };
    },
  });

  function startFlow(body: StartBody) {
    const now = context.clock.now();
    const locale = parseLocale(body.locale) ?? DEFAULT_LOCALE;
    if (!('national_id' in body)) return startRedirect(context.tools, { locale }, now);
    const nationalId = parseNationalId(body.national_id);
    if (nationalId === null) throw fieldRefusal('national_id', 'format');
    return startPush(context.tools, { locale, nationalId }, now);
  }
};

const STARTING = [
  'rate_limited',
  'provider.record_not_found',
  'provider.unavailable',
  'provider.timeout',
  'provider.bad_response',
  'provider.misconfigured',
  'push.budget_spent',
] as const;
