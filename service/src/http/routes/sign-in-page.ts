import { ERROR_STATUS, type ErrorCode } from '@miftah/contract';
import { endedPage, signInPage, type Person } from '@miftah/pages';
import type { Attempt } from '../../domain/attempt.ts';
import { simulatorClient } from '../../domain/client.ts';
import { Refusal } from '../../domain/errors/refusal.ts';
import { returnErrorOf } from '../../domain/return-error.ts';
import { isoTimestamp } from '../../domain/time.ts';
import type { DocumentType } from '../../domain/user.ts';
import { openSignIn } from '../../flow/browser/sign-in.ts';
import type { TestPerson } from '../../ports/simulation.ts';
import { baseUrl, type Endpoint, type SimulatorContext } from '../context.ts';
import { languageLinks, pageLocale, queryText } from '../page-locale.ts';
import { returnAddress } from '../return-address.ts';
import { sendPage } from '../send-page.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * GET /callback?state=: the page of authorization_url, where a test person is chosen. Simulator
 * mode only.
 */
export const signIn: Endpoint<SimulatorContext> = (app, context) => {
  app.route({
    method: 'GET',
    url: '/callback',
    config: { page: true },
    handler: async (request, reply) => {
      const attempt = await openAttempt(context, request);
      return attempt?.state === 'pending'
        ? sendSignIn(context, request, reply, attempt)
        : sendEnded(context, request, reply, attempt);
    },
  });
};

/** Null for every attempt that can't be opened; the page does not tell the reason. */
async function openAttempt(
  { services, clock }: SimulatorContext,
  request: FastifyRequest,
): Promise<Attempt | null> {
  try {
    return await openSignIn(services, queryText(request, 'state'), clock.now());
  } catch (error) {
    if (error instanceof Refusal && error.code === 'attempt.not_found') return null;
    throw error;
  }
}

function sendSignIn(
  context: SimulatorContext,
  request: FastifyRequest,
  reply: FastifyReply,
  attempt: Attempt,
): FastifyReply {
  const { simulation, clients } = context.services;
  const { record } = attempt;
  const locale = pageLocale(request, record.locale);
  const page = signInPage({
    locale,
    attemptId: record.attemptId,
    // Carries the chosen language to the pages that follow the form.
    action: `${baseUrl(context)}/callback/sign-in?locale=${locale}`,
    languageLinks: languageLinks(request),
    service: clients.find(record.client)?.name ?? simulatorClient('').name,
    people: simulation.people(record).map(personCard),
    expiresAt: isoTimestamp(record.expiresAt),
  });
  return sendPage(reply, page, ['self', returnBase(context, attempt)]);
}

function returnBase({ settings }: SimulatorContext, { record }: Attempt): string {
  return record.returnAddress ?? settings.dashboardUrl;
}

/** The return address, with the attempt's id and the result of the sign-in. */
export function addressWith(
  context: SimulatorContext,
  attempt: Attempt,
  result: Readonly<Record<string, string>>,
): string {
  const { attemptId, client } = attempt.record;
  const codeIn = context.services.clients.find(client)?.codeIn;
  return returnAddress(returnBase(context, attempt), { attempt_id: attemptId, ...result }, codeIn);
}

/** The return address with an error, if the person refused or was too late; otherwise null. */
export function wayBack(context: SimulatorContext, attempt: Attempt): string | null {
  const error = returnErrorOf(attempt);
  return error === null ? null : addressWith(context, attempt, { error });
}

const KINDS = {
  nin: 'citizen',
  iqama: 'resident',
  visa: 'visitor',
  border: 'border',
} as const satisfies Record<DocumentType, Person['kind']>;

export function personCard(person: TestPerson): Person {
  const { id, nationalId, documentType, arabicName, englishName, isDefault } = person;
  return {
    id,
    nationalId,
    kind: KINDS[documentType],
    arabicName,
    englishName,
    default: isDefault,
  };
}

const ENDED = {
  unknown: 'attempt.not_found',
  expired: 'attempt.expired',
  rejected: 'attempt.rejected',
  failed: 'attempt.failed',
} as const satisfies Record<string, ErrorCode>;

/**
 * Tells the person why the attempt can't be decided, and where to go. A successful attempt is no
 * error.
 */
export function sendEnded(
  context: SimulatorContext,
  request: FastifyRequest,
  reply: FastifyReply,
  attempt: Attempt | null,
): FastifyReply {
  const state = attempt?.state === 'pending' ? 'unknown' : (attempt?.state ?? 'unknown');
  const locale = pageLocale(request, attempt?.record.locale);
  if (state === 'authenticated' || state === 'redeemed') {
    return sendPage(reply, endedPage({ locale, kind: 'authenticated' }));
  }
  reply.status(ERROR_STATUS[ENDED[state]]);
  const back = attempt === null ? null : wayBack(context, attempt);
  return sendPage(reply, endedPage({ locale, kind: state, wayBack: back }));
}
