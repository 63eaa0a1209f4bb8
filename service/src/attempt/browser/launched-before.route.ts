import { ERROR_STATUS, type ErrorCode } from '@miftah/contract';
import { endedPage } from '@miftah/pages';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AttemptId } from '../../values/ids.ts';
import type { Attempt } from '../attempt.ts';
import { Refusal } from '../../errors/refusal.ts';
import { RATE_POLICIES } from '../../values/limits.ts';
import { returnErrorOf } from './return-error.ts';
import type { Ms } from '../../values/time.ts';
import type { Returned } from './finish-return.flow.ts';
import { launchedAttempt, type LaterVisit } from './return-again.flow.ts';
import { findWayBack } from './return-target.flow.ts';
import { browserCookie } from '../../request/caller/browser-cookie.ts';
import { BASE_PATH, type LiveContext } from '../../request/context.ts';
import { consume } from '../../request/caller/caller.ts';
import { languageEnds, pageLocale } from '../../request/answer/page-locale.ts';
import { placesOf } from '../../request/answer/reply-error.ts';
import { returnAddress } from '../../request/answer/return-address.ts';
import { sendPage, type WayBack } from '../../request/answer/send-page.ts';

const CANNOT_LAUNCH: ReadonlySet<ErrorCode> = new Set([
  'attempt.not_found',
  'callback.browser_mismatch',
]);

/**
 * What the launch page is for once the attempt can't be launched: the browser that launched it may
 * come to it again.
 * @throws the error itself where it is another one, or another browser
 */
export async function launchedBefore(
  { services }: LiveContext,
  visit: LaterVisit,
  error: unknown,
  now: Ms,
): Promise<Attempt> {
  // A press that meets the return of its own browser finds nothing to bind any more.
  const isRefused = error instanceof Refusal && CANNOT_LAUNCH.has(error.code);
  const launched = isRefused ? await launchedAttempt(services, visit, now) : null;
  if (launched === null) throw error;
  return launched;
}

/** The visit of a browser to the launch page of an attempt that it may have launched before. */
export function laterVisit(
  context: LiveContext,
  request: FastifyRequest,
  reply: FastifyReply,
  attemptId: string,
  now: Ms,
): LaterVisit {
  return {
    attemptId,
    cookieOf: (id) => browserCookie(request, id),
    admit: (id: AttemptId) => consume(context, reply, RATE_POLICIES.return, id, now),
  };
}

/**
 * The application's address for what the browser brings: a completion code or an error.
 * @throws Refusal `attempt.not_found` when the client or the address was removed, or what it is for
 */
export async function wayBackOf({ services }: LiveContext, returned: Returned): Promise<WayBack> {
  // Looked up again: the clients file may have been read anew while the provider was asked.
  const target = await findWayBack(services, returned.record);
  if (target === null) throw new Refusal('attempt.not_found');
  const { client, address, codeIn } = target;
  return {
    address: returnAddress(address, membersOf(returned), codeIn),
    application: client.name,
  };
}

function membersOf(returned: Returned) {
  const attempt = { attempt_id: returned.record.attemptId };
  return 'error' in returned
    ? { ...attempt, error: returned.error }
    : { ...attempt, completion_code: returned.completionCode.reveal() };
}

const CODES = {
  access_denied: ['attempt.rejected', 'rejected'],
  expired_token: ['attempt.expired', 'expired'],
} as const satisfies Record<string, readonly [ErrorCode, 'rejected' | 'expired']>;

/**
 * Tells the person whose browser launched the attempt how it ended.
 * @throws Refusal `attempt.not_found` for an end that is told to nobody
 */
export async function sendEnded(
  context: LiveContext,
  request: FastifyRequest,
  reply: FastifyReply,
  attempt: Attempt,
): Promise<FastifyReply> {
  const { record, state } = attempt;
  const locale = pageLocale(request, record.locale);
  // Of the launch page, which tells the same browser the same, also after its form.
  const links = languageEnds(`${BASE_PATH}/callback?state=${record.attemptId}&locale=`);
  const page = { locale, languageLinks: links, places: placesOf(request.server) };
  if (state === 'redeemed') return sendPage(reply, endedPage({ ...page, kind: 'authenticated' }));
  const error = returnErrorOf(attempt);
  if (error === null) throw new Refusal('attempt.not_found');
  const [code, kind] = CODES[error];
  reply.refusedAs = code;
  const { address: wayBack } = await wayBackOf(context, { record, error });
  const ended = endedPage({ ...page, kind, wayBack, requestId: request.id });
  return sendPage(reply.status(ERROR_STATUS[code]), ended);
}
