/** Where an application sends its attempt token. */
import { callsOf, errorCodeOf, numbersOf, queryOf, type Call } from './calls.ts';
import type { CoachRule } from './rule.ts';

const TOKEN_NAMES: ReadonlySet<string> = new Set([
  'access_token',
  'api_token',
  'attempt_token',
  'token',
  'x-provider-attempt-token',
]);

export const TOKEN_IN_ADDRESS: CoachRule = {
  key: 'token_in_address',
  title: {
    en: 'A token is in the address',
    ar: 'رمز سري في عنوان الطلب',
  },
  advice: {
    en: 'Take the token out of the query: addresses are kept in logs and browsing histories. Send the attempt token in the header `X-Provider-Attempt-Token`, and with `POST /token` in the member `attempt_token` of the body.',
    ar: 'أزل الرمز من العنوان، فالعناوين تُحفظ في السجلات وفي سجل التصفح. أرسل رمز المحاولة في الترويسة `X-Provider-Attempt-Token`، ومع `POST /token` في الحقل `attempt_token` من متن الطلب.',
  },
  says: 'A request has a member named like a token in its query.',
  check: (input) => numbersOf(callsOf(input).filter(hasTokenInQuery)),
};

function hasTokenInQuery(call: Call): boolean {
  return [...queryOf(call).keys()].some((name) => TOKEN_NAMES.has(name.toLowerCase()));
}

export const NO_ATTEMPT_TOKEN: CoachRule = {
  key: 'no_attempt_token',
  title: {
    en: 'The attempt token is not sent',
    ar: 'رمز المحاولة لم يُرسَل',
  },
  advice: {
    en: 'Send the `attempt_token` of the start in the header `X-Provider-Attempt-Token`. Keep it in the session that started the attempt: the `attempt_id` alone opens nothing.',
    ar: 'أرسل `attempt_token` الذي جاء في ردّ البدء في الترويسة `X-Provider-Attempt-Token`. واحفظه في الجلسة التي بدأت المحاولة، فقيمة `attempt_id` وحدها لا تكفي.',
  },
  says: 'A request without a token in its query was refused with 401 attempt.token_missing.',
  check: (input) => numbersOf(callsOf(input).filter(isWithoutToken)),
};

/** One that has it in the wrong place is told to put it into the right one: one mistake, one rule. */
function isWithoutToken(call: Call): boolean {
  return errorCodeOf(call) === 'attempt.token_missing' && !hasTokenInQuery(call);
}
