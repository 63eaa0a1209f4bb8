import { ERROR_STATUS, problemTypeOf, type ErrorCode } from '@miftah/contract';
import { endedPage, type EndedKind } from '@miftah/pages';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../errors/refusal.ts';
import { languageEnds, pageLocale, UNKNOWN_LINKS } from '../../request/answer/page-locale.ts';
import { placesOf } from '../../request/answer/reply-error.ts';
import { sendPage } from '../../request/answer/send-page.ts';

/** What `callback.browser_mismatch` means for the person at this route. */
interface Situation {
  /** `browser_mismatch` if the launching browser can still finish the sign-in. */
  readonly onMismatch: 'browser_mismatch' | 'spoiled';
}

/**
 * Errors that the person can act on get a page of their own; the others get the general error page.
 */
export function sendRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
  situation: Situation,
): FastifyReply {
  if (!(error instanceof Refusal)) throw error;
  const kind = pageOf(error.code, situation);
  if (kind === null) throw error;
  reply.status(ERROR_STATUS[error.code]);
  reply.refusedAs = error.code;
  reply.exchange?.refuse(error.code);
  // Neither a form nor a return can be repeated by a link: it leads to the page of the error.
  const links = languageEnds(`${problemTypeOf(error.code)}?locale=`);
  const languageLinks = kind === 'unknown' ? UNKNOWN_LINKS : links;
  const places = placesOf(request.server);
  const page = { locale: pageLocale(request), kind, languageLinks, places, requestId: request.id };
  return sendPage(reply, endedPage(page));
}

function pageOf(code: ErrorCode, { onMismatch }: Situation): EndedKind | null {
  if (code === 'attempt.not_found') return 'unknown';
  return code === 'callback.browser_mismatch' ? onMismatch : null;
}
