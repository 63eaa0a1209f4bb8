import { ERROR_STATUS, type ErrorCode } from '@miftah/contract';
import { endedPage } from '@miftah/pages';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isCancelled, type Attempt } from '../attempt.ts';
import { Refusal } from '../../errors/refusal.ts';
import { parseLocale } from '../../values/locale.ts';
import { returnErrorOf } from '../browser/return-error.ts';
import type { Ms } from '../../values/time.ts';
import { decideSignIn, openSignIn, type SignedIn, type SignInDecision } from './sign-in.flow.ts';
import { findWayBack } from '../browser/return-target.flow.ts';
import type { SimulatorContext } from '../../request/context.ts';
import {
  languageLinks,
  pageLocale,
  queryText,
  UNKNOWN_LINKS,
} from '../../request/answer/page-locale.ts';
import { placesOf } from '../../request/answer/reply-error.ts';
import { returnAddress } from '../../request/answer/return-address.ts';
import { DASHBOARD_PATH } from './dashboard.route.ts';
import { leadBack, sendPage, type WayBack } from '../../request/answer/send-page.ts';

/** Carries out a decision on the sign-in page, and sends the browser back to the application. */
export async function replyDecision(
  context: SimulatorContext,
  request: FastifyRequest,
  reply: FastifyReply,
  choice: SignInDecision,
): Promise<FastifyReply> {
  const { attempt, completionCode } = await decide(context, choice, context.clock.now());
  const way =
    completionCode === null
      ? await wayBack(context, attempt)
      : await wayBackWith(context, attempt, { completion_code: completionCode.reveal() });
  if (way === null) return sendEnded(context, request, reply, attempt);
  const locale = pageLocale(request, attempt.record.locale);
  const address = inChosenLanguage(context, request, way.address);
  return leadBack(request, reply, { ...way, address }, locale);
}

const TOO_LATE: ReadonlySet<ErrorCode> = new Set([
  'attempt.expired',
  'attempt.rejected',
  'attempt.cancelled',
]);

/**
 * A person who is too late, or refused in another tab, is sent back like one who refuses here.
 * @throws Refusal
 */
async function decide(
  { services }: SimulatorContext,
  choice: SignInDecision,
  now: Ms,
): Promise<SignedIn> {
  try {
    return await decideSignIn(services, choice, now);
  } catch (error) {
    if (!(error instanceof Refusal) || !TOO_LATE.has(error.code)) throw error;
    return { attempt: await openSignIn(services, choice.attemptId, now), completionCode: null };
  }
}

/**
 * Adds the chosen language if the address is our own dashboard; applications do not know the
 * parameter.
 */
function inChosenLanguage(
  { settings }: SimulatorContext,
  request: FastifyRequest,
  address: string,
): string {
  const chosen = parseLocale(queryText(request, 'locale'));
  const url = new URL(address);
  const isOwn = url.origin === settings.publicUrl && url.pathname === DASHBOARD_PATH;
  if (chosen === null || !isOwn) return address;
  url.searchParams.set('locale', chosen);
  return url.href;
}

/** The return address, with the attempt's id and the result of the sign-in; null as `findWayBack`. */
async function wayBackWith(
  { services }: SimulatorContext,
  { record }: Attempt,
  result: Readonly<Record<string, string>>,
): Promise<WayBack | null> {
  const members = { attempt_id: record.attemptId, ...result };
  const target = await findWayBack(services, record);
  if (target === null) return null;
  const { client, address, codeIn } = target;
  return {
    address: returnAddress(address, members, codeIn),
    application: client.name,
  };
}

/** The return address with an error, if the person refused or was too late; otherwise null. */
async function wayBack(context: SimulatorContext, attempt: Attempt): Promise<WayBack | null> {
  const error = returnErrorOf(attempt);
  return error === null ? null : wayBackWith(context, attempt, { error });
}

const ENDED = {
  unknown: 'attempt.not_found',
  expired: 'attempt.expired',
  rejected: 'attempt.rejected',
  cancelled: 'attempt.cancelled',
  failed: 'attempt.failed',
} as const satisfies Record<string, ErrorCode>;

/** The page in the other language; a form post can't be repeated by a link. */
function linksOf(request: FastifyRequest, state: Attempt['state'] | 'cancelled' | 'unknown') {
  if (state === 'unknown') return { languageLinks: UNKNOWN_LINKS };
  return request.method === 'GET' ? { languageLinks: languageLinks(request) } : {};
}

/**
 * Tells the person why the attempt can't be decided, and where to go. A successful attempt is no
 * error.
 */
export async function sendEnded(
  context: SimulatorContext,
  request: FastifyRequest,
  reply: FastifyReply,
  attempt: Attempt | null,
): Promise<FastifyReply> {
  const isOpen = attempt === null || attempt.state === 'pending';
  const state = isOpen ? 'unknown' : isCancelled(attempt) ? 'cancelled' : attempt.state;
  const locale = pageLocale(request, attempt?.record.locale);
  const places = placesOf(request.server);
  const shown = { locale, places, ...linksOf(request, state) };
  if (state === 'authenticated' || state === 'redeemed') {
    return sendPage(reply, endedPage({ ...shown, kind: 'authenticated' }));
  }
  reply.status(ERROR_STATUS[ENDED[state]]);
  reply.refusedAs = ENDED[state];
  const back = attempt === null ? null : await wayBack(context, attempt);
  const said = { wayBack: back?.address ?? null, requestId: request.id };
  return sendPage(reply, endedPage({ ...shown, ...said, kind: state }));
}
