import { StartRequest } from '@miftah/contract';
import { OPERATIONS } from '@miftah/contract/operations';
import type { FastifyRequest } from 'fastify';
import type { Client } from '../../account/client.ts';
import { allowedAddresses, SCHEME_MISSING } from '../../errors/notes.ts';
import type { Flow } from '../flow.ts';
import { parseLocale, DEFAULT_LOCALE } from '../../values/locale.ts';
import { parseNationalId } from '../../account/user.ts';
import { namedReturnAddress } from '../browser/return-address.ts';
import { requireSoundClock } from '../../operate/readiness.flow.ts';
import { startPush, startRedirect } from './start-attempt.flow.ts';
import { callerOf, startingClient, limitByCaller } from '../../request/caller/caller.ts';
import { baseUrl, type Endpoint, type HttpContext } from '../../request/context.ts';
import { headersNamed } from '../../request/answer/described-headers.ts';
import { RATE_POLICIES } from '../../values/limits.ts';
import { CLIENT_OR_NONE, problems, TAGS } from '../../request/answer/openapi.ts';
import { presentStarted } from '../../request/answer/present.ts';
import { recordStart } from '../../request/record/record-exchanges.ts';
import { refuseOverload } from '../../request/request-head.ts';
import { SCENARIO_HEADERS } from '../../request/body/scenario-headers.ts';
import { fieldRefusal } from '../../request/body/validation.ts';

/**
 * POST /start: the members of the body determine the flow.
 *
 * The way of a request through the code, for those who read it the first time:
 *
 * 1. `server/request-groups.ts` handles together what was read in one turn of the event loop.
 *    `request/app.ts` gives the request an id and has its Host header and its origin checked
 *    (`request/request-head.ts`).
 * 2. Before the body is read, `request/caller/caller.ts` finds out who calls and counts the request
 *    under its caller, and `refuseOverload` refuses it while there is too much to do (decision 0108).
 * 3. `request/body/validation.ts` reads JSON, and the schema of `contract/` judges it.
 * 4. `startFlow` below reads the clock, once. `start-attempt.flow.ts` makes the id, the attempt
 *    token and the record, which has the token's digest.
 * 5. `startAtProvider` asks the provider and stores the record: `localStart` there in a simulation,
 *    `remoteStart` in live mode. The store answers when the row is on the disk
 *    (`store/sqlite/group-commit.ts`).
 * 6. `request/answer/present.ts` gives the answer the names of the interface. What is thrown on the
 *    way is a `Refusal`, which `request/answer/reply-error.ts` alone makes an answer.
 */
export const start: Endpoint = (app, context) => {
  app.route<{ Body: StartRequest }>({
    method: 'POST',
    url: '/start',
    config: { attemptIn: 'handler' },
    schema: {
      operationId: 'startAttempt',
      summary: 'Start an attempt',
      description: 'With `national_id`: a push to the phone. Without: a browser redirect.',
      tags: TAGS.attempts,
      security: CLIENT_OR_NONE,
      body: StartRequest,
      describedHeaders: {
        ...headersNamed('X-End-User-Address'),
        ...(context.scenarios === null ? {} : SCENARIO_HEADERS),
      },
      response: {
        200: OPERATIONS.startAttempt.answer,
        ...problems(STARTING, { body: true }),
      },
    },
    onRequest: [...limitByCaller(context, RATE_POLICIES.start), refuseOverload(context)],
    preValidation: async (request) => void startingClient(context, request, flowOf(request.body)),
    handler: async (request, reply) => {
      const started = await startFlow(context, request);
      recordStart(context, request, reply, started.record);
      return { data: presentStarted(started, baseUrl(context)) };
    },
  });
};

function startFlow(context: HttpContext, request: FastifyRequest<{ Body: StartRequest }>) {
  const { body } = request;
  if (context.services.rules.needsSoundClock) requireSoundClock(context.timekeeper);
  const now = context.clock.now();
  const client = startingClient(context, request, flowOf(body));
  const asked = {
    client,
    locale: parseLocale(body.locale) ?? DEFAULT_LOCALE,
    returnAddress: returnAddressOf(context, request, client),
    endUser: { address: callerOf(context, request).endUserAddress },
    scenario: context.scenarios?.(request.headers, flowOf(body)) ?? null,
  };
  if (!('national_id' in body)) return startRedirect(context.services, asked, now);
  const nationalId = parseNationalId(body.national_id);
  if (nationalId === null) throw fieldRefusal('national_id', 'format', { pointer: '/national_id' });
  return startPush(context.services, { ...asked, nationalId }, now);
}

/** Runs before the schema was applied, so the body may be anything. */
function flowOf(body: unknown): Flow {
  return typeof body === 'object' && body !== null && 'national_id' in body ? 'mfa' : 'oidc';
}

/** A host, with or without a port, where an address begins with `http://` or the like. */
const WITHOUT_SCHEME = /^(?:\[[\da-f:]+\]|[\w.-]+)(?::\d+)?(?:\/|$)/i;

/** A return address that the client may use; null when the start names none. @throws Refusal */
function returnAddressOf(
  context: HttpContext,
  request: FastifyRequest<{ Body: StartRequest }>,
  client: Client,
): string | null {
  const { return_address: wanted } = request.body;
  if (wanted === undefined) return null;
  const named = namedReturnAddress(client, wanted);
  if (named !== null) return named;
  // Which applications use a service is told to nobody who shows no key of theirs.
  const isTold =
    context.services.rules.startedBy === 'anybody' || callerOf(context, request).client !== null;
  const { returnAddresses, returnsToLoopback } = client;
  const expected = WITHOUT_SCHEME.test(wanted)
    ? SCHEME_MISSING
    : allowedAddresses(isTold ? returnAddresses : [], returnsToLoopback);
  throw fieldRefusal('return_address', 'not_listed', { pointer: '/return_address', expected });
}

const STARTING = [
  'client.unauthenticated',
  'rate_limited',
  'provider.record_not_found',
  'provider.unavailable',
  'provider.timeout',
  'provider.bad_response',
  'provider.misconfigured',
  'push.budget_spent',
  'flow.unavailable',
  'server.clock_ahead',
] as const;
