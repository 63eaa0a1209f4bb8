import { ERROR_STATUS, problemTypeOf, type ErrorCode } from '@miftah/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { endedPage, errorPage, type EndedKind, type Page } from '@miftah/pages';
import type { Locale } from '../../values/locale.ts';
import { Refusal, type FieldRule } from '../../errors/refusal.ts';
import { wordingOf } from '../../errors/wording.ts';
import { BASIC_CHALLENGE, tellNoStanding, triesBasic } from '../caller/caller.ts';
import {
  languageEnds,
  languageLinks as linksOf,
  messageLocale,
  pageLocale,
} from './page-locale.ts';
import { targetOf } from '../request-head.ts';
import { prefersPage } from './prefers-page.ts';
import { problemOf } from './problem.ts';
import { sendPage } from './send-page.ts';
import { textMember } from '../body/text-member.ts';

/** The framework's own errors as codes of our catalogue. */
const FRAMEWORK_CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'request.too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'request.unsupported_media_type',
  FST_ERR_CTP_INVALID_TYPE: 'request.unsupported_media_type',
  FST_ERR_CTP_EMPTY_TYPE: 'request.unsupported_media_type',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'request.malformed_json',
  FST_ERR_CTP_INVALID_JSON_BODY: 'request.malformed_json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'request.malformed',
  FST_ERR_BAD_URL: 'route.not_found',
  FST_ERR_ASYNC_CONSTRAINT: 'route.not_found',
  FST_ERR_MAX_PARAM_LENGTH: 'route.not_found',
};

/** The only place where an error becomes an answer. */
export async function replyError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const refusal = toRefusal(error, request);
  if (ERROR_STATUS[refusal.code] >= 500) logFault(request, refusal);
  reply.status(ERROR_STATUS[refusal.code]).headers(refusalHeaders(refusal, request));
  if (refusal.code === 'push.budget_spent') tellNoStanding(reply);
  reply.refusedAs = refusal.code;
  reply.refusedFields = fieldsOfOurs(refusal);
  reply.exchange?.refuse(refusal.code);
  if (isForPerson(refusal, request, reply)) return sendErrorPage(request, reply, refusal);
  reply.type(problemType(request.headers.accept));
  return reply.send(JSON.stringify(problemOf(refusal, messageLocale(request), request, reply)));
}

/**
 * Whether a person reads the answer in a browser. A mistyped address belongs to no page, so there
 * the Accept header decides.
 */
function isForPerson({ code }: Refusal, request: FastifyRequest, reply: FastifyReply): boolean {
  if (reply.routeOptions.config.page === true) return true;
  return isMistyped(code) && prefersPage(request);
}

const isMistyped = (code: ErrorCode) =>
  code === 'route.not_found' || code === 'request.method_not_allowed';

/** With a second slash at its beginning it would lead to another host. */
const PLAIN_PATH = /^\/(?!\/)[\w./-]{0,200}$/;

/**
 * What the language ends, at the address that was opened. Its query is left out, because it may hold
 * what belongs on no page.
 */
function sameAddress(request: FastifyRequest): string | null {
  const { path } = targetOf(request);
  return request.method === 'GET' && PLAIN_PATH.test(path) ? `${path}?locale=` : null;
}

function toRefusal(error: unknown, request: FastifyRequest): Refusal {
  if (error instanceof Refusal) return error;
  const known = FRAMEWORK_CODES[textMember(error, 'code')];
  const code = known ?? (hasHungUp(request) ? 'request.malformed' : undefined);
  return new Refusal(code ?? 'server.error', { cause: error });
}

/**
 * The client closed the connection while sending: nobody reads the answer, and this is no fault of
 * ours.
 */
function hasHungUp({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete;
}

/** The rules of a member whose name is the caller's, or may be. */
const UNLISTED: ReadonlySet<FieldRule> = new Set(['unknown', 'text']);

/** The names of what is wrong, for the log: those of schemas and headers, never one that was sent. */
function fieldsOfOurs({ details: { faults = [] } }: Refusal): readonly string[] | null {
  const ours = faults.filter(({ rule }) => !UNLISTED.has(rule)).map(({ field }) => field);
  return ours.length === 0 ? null : ours;
}

/** Logs nothing of the request's content, and no error message, because a message may quote it. */
function logFault(request: FastifyRequest, { code, cause, details: { reason } }: Refusal): void {
  request.log.error({ code, reason, ...faultOf(cause) }, 'the request could not be served');
}

/** What the log says of an unexpected error. */
export function faultOf(error: unknown) {
  return error instanceof Error ? { fault: error.name, stack: framesOf(error) } : {};
}

/** The stack frames without the message. */
function framesOf({ stack }: Error): string[] {
  return (stack ?? '')
    .split('\n')
    .filter((line) => line.startsWith('    at '))
    .map((line) => line.trim());
}

function refusalHeaders(
  { code, details }: Refusal,
  request: FastifyRequest,
): Record<string, string> {
  return {
    ...(details.retryAfterSeconds === undefined
      ? {}
      : { 'retry-after': String(details.retryAfterSeconds) }),
    ...(details.allow === undefined ? {} : { allow: details.allow.join(', ') }),
    ...challengeFor(code, request),
  };
}

type Status = typeof ERROR_STATUS;
type Unauthenticated = { [Code in ErrorCode]: Status[Code] extends 401 ? Code : never }[ErrorCode];

/**
 * Each 401 has a challenge (RFC 9110 section 15.5.2), by a scheme of our own where the credential is in
 * no Authorization header. RFC 6750 section 3: no error attribute if the request carried no credential.
 */
const UNAUTHENTICATED: Readonly<Record<Unauthenticated, string>> = {
  'attempt.token_missing': 'AttemptToken header="X-Provider-Attempt-Token"',
  'token.missing': 'Bearer',
  'token.invalid': 'Bearer error="invalid_token"',
  'client.unauthenticated': 'Bearer',
  'push.unverified': 'SignedResult',
};
const CHALLENGES: Readonly<Partial<Record<ErrorCode, string>>> = {
  ...UNAUTHENTICATED,
  'token.in_address': 'Bearer error="invalid_request"',
};

function challengeFor(code: ErrorCode, request: FastifyRequest): Record<string, string> {
  const isBasic = code === 'client.unauthenticated' && triesBasic(request);
  const challenge = isBasic ? BASIC_CHALLENGE : CHALLENGES[code];
  return challenge === undefined ? {} : { 'www-authenticate': challenge };
}

/** RFC 9457's own media type, unless the caller asks for plain JSON by name. */
function problemType(accept: string | undefined): string {
  const plain = accept?.includes('application/json') && !accept.includes('problem+json');
  return `application/${plain === true ? 'json' : 'problem+json'}; charset=utf-8`;
}

function sendErrorPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { code }: Refusal,
): FastifyReply {
  const locale = pageLocale(request);
  const passing = reply.routeOptions.config.repeatable === true ? PASSING[code] : undefined;
  if (passing !== undefined) return sendPage(reply, outagePage(passing, request, locale));
  const { title, cause, remedy } = wordingOf(code, locale);
  const said = { code, status: ERROR_STATUS[code], title, whatHappened: cause, whatToDo: remedy };
  // A language link can't repeat a form post, so it leads to the error's own page.
  const ownPage = `${problemTypeOf(code)}?locale=`;
  const languageLinks = languageEnds(
    isMistyped(code) ? (sameAddress(request) ?? ownPage) : ownPage,
  );
  const places = placesOf(request.server);
  return sendPage(
    reply,
    errorPage({ ...said, locale, languageLinks, places, requestId: request.id }),
  );
}

/** What may have passed when a person in the middle of a sign-in opens the same address again. */
const PASSING: Readonly<Partial<Record<ErrorCode, EndedKind>>> = {
  'provider.unavailable': 'unavailable',
  'provider.timeout': 'unavailable',
  'storage.unavailable': 'busy',
  'storage.outcome_unknown': 'busy',
  'server.overloaded': 'busy',
  rate_limited: 'too_many',
};

/** For a person, who knows nothing of codes. */
function outagePage(kind: EndedKind, request: FastifyRequest, locale: Locale): Page {
  const languageLinks = linksOf(request);
  const again = languageLinks[locale];
  const places = placesOf(request.server);
  return endedPage({ locale, kind, again, languageLinks, places, requestId: request.id });
}

/** The pages to go on from: live mode has none of them. */
export function placesOf(app: FastifyInstance) {
  const isThere = (url: string) => app.hasRoute({ method: 'GET', url });
  return [
    ...(isThere('/') ? (['home'] as const) : []),
    ...(isThere('/console') ? (['console'] as const) : []),
  ];
}
