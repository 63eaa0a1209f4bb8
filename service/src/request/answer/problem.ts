import { ERROR_STATUS, problemTypeOf, type ErrorCode } from '@miftah/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isClientKey, isKeyHash } from '../../account/client.ts';
import type { Note } from '../../errors/notes.ts';
import type { FieldFault, Refusal } from '../../errors/refusal.ts';
import {
  contentEncodingSentence,
  detailOf,
  fieldSentence,
  hashForKeySentence,
  isHeader,
  keyForTokenSentence,
  limitsOffSentence,
  mediaTypesSentence,
  publishedKeySentence,
  sentTypeSentence,
  summarySentence,
  schemeSentence,
  unknownKeySentence,
  wordingOf,
} from '../../errors/wording.ts';
import type { Locale } from '../../values/locale.ts';
import { credentialOf, triesBasic } from '../caller/caller.ts';
import { isEncoded } from '../body/validation.ts';
import { textMember } from '../body/text-member.ts';

/** The body of an error: RFC 9457's members, and those that clients of Laravel services read. */
export function problemOf(
  refusal: Refusal,
  locale: Locale,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const { code, details } = refusal;
  const found = validationMembers(refusal, locale);
  const { note, publishedKey } = details;
  return {
    ...plainProblem(code, locale),
    ...(note === undefined ? {} : { detail: detailOf(code, locale, note) }),
    ...(code === 'request.unsupported_media_type' ? mediaTypeDetail(request, locale) : {}),
    ...(code === 'client.unauthenticated' ? keyDetail(request, locale, note) : {}),
    ...(publishedKey === undefined ? {} : { remedy: publishedKeySentence(publishedKey, locale) }),
    ...(details.canBeOff === true ? { remedy: limitsOffSentence(locale) } : {}),
    ...(code === 'token.invalid' ? tokenDetail(request, locale) : {}),
    ...(code === 'token.missing' && isOtherForm(request)
      ? { detail: schemeSentence('Bearer mft_...', locale) }
      : {}),
    ...flatMembers(code, request, reply),
    ...found,
    ...(details.violatedPolicies ? { 'violated-policies': details.violatedPolicies } : {}),
    ...(details.reference === undefined ? {} : { reference: details.reference }),
    request_id: request.id,
  };
}

/** The members that depend only on the code; an answer without a request has no others. */
export function plainProblem(code: ErrorCode, locale: Locale) {
  const { title, message, remedy } = wordingOf(code, locale);
  const detail = detailOf(code, locale);
  return {
    type: problemTypeOf(code),
    title,
    status: ERROR_STATUS[code],
    detail,
    code,
    message,
    remedy,
  };
}

/** Lists the media types that the operation's own parsers accept, or names what else is wrong. */
function mediaTypeDetail(request: FastifyRequest, locale: Locale) {
  if (isEncoded(request)) return { detail: contentEncodingSentence(locale) };
  const { server } = request;
  const types = ['application/json', 'application/x-www-form-urlencoded'];
  const read = types.filter((type) => server.hasContentTypeParser(type));
  const { message } = wordingOf('request.unsupported_media_type', locale);
  const sent = sentTypeSentence(request.headers['content-type'], locale);
  const sentences = [message, ...(sent === null ? [] : [sent]), mediaTypesSentence(read, locale)];
  return { detail: sentences.join(' ') };
}

/** Says of a key that was sent that nobody has it: the catalogue's own detail is for none. */
function keyDetail(request: FastifyRequest, locale: Locale, note?: Note) {
  if (note !== undefined) return { detail: note[locale] };
  if (isOtherForm(request)) return { detail: schemeSentence('Bearer mfk_...', locale) };
  const isSent = request.headers.authorization !== undefined;
  if (isKeyHash(credentialOf(request) ?? '')) return { detail: hashForKeySentence(locale) };
  return isSent ? { detail: unknownKeySentence(locale) } : {};
}

/** Whether an Authorization header is something else than a scheme that is taken here and one value. */
function isOtherForm(request: FastifyRequest): boolean {
  const { authorization = '' } = request.headers;
  return authorization !== '' && credentialOf(request) === null && !triesBasic(request);
}

/** Says of a client key, in the place of an API token, that it is one. */
function tokenDetail(request: FastifyRequest, locale: Locale) {
  const isKey = isClientKey(credentialOf(request) ?? '');
  return isKey ? { detail: keyForTokenSentence(locale) } : {};
}

/** Errors that are answered only after the attempt's token was verified. */
const AFTER_PROOF: ReadonlySet<ErrorCode> = new Set([
  'attempt.wrong_flow',
  'attempt.pending',
  'attempt.expired',
  'attempt.rejected',
  'attempt.cancelled',
  'attempt.failed',
  'attempt.already_redeemed',
]);

/**
 * Repeats the attempt's id only where that can't tell a caller without proof that the id exists.
 */
function flatMembers(code: ErrorCode, { body }: FastifyRequest, { routeOptions }: FastifyReply) {
  const { flat } = routeOptions.config;
  if (flat === undefined) return {};
  const attemptId = textMember(body, 'attempt_id') || textMember(body, 'state');
  const isGivenBack = attemptId !== '' && (flat === 'known' || AFTER_PROOF.has(code));
  return { success: false, ...(isGivenBack ? { attempt_id: attemptId } : {}) };
}

/** Sentences per member for people, pointers and rules for programs. */
function validationMembers({ details: { faults } }: Refusal, locale: Locale) {
  if (faults === undefined) return {};
  const named = faults.map((fault) => ({
    field: fault.field,
    sentence: fieldSentence(fault, locale),
  }));
  const message = summarySentence(
    named.map(({ sentence }) => sentence),
    locale,
  );
  return {
    detail: message,
    message,
    errors: Object.fromEntries(named.map(({ field, sentence }) => [field, [sentence]])),
    violations: faults.map(violationOf),
  };
}

/** Names the header or the member of the query: neither has a place in the body to point to. */
function violationOf({ field, pointer, rule, isOfQuery }: FieldFault) {
  const violation = { pointer, code: rule };
  if (isOfQuery === true) return { ...violation, parameter: field };
  return pointer === '' && isHeader(field) ? { ...violation, header: field } : violation;
}
