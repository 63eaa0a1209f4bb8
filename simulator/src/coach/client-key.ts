/** Whether an application proves that the attempt is its own. */
import { textAt } from './bodies.ts';
import { callsOf, errorCodeOf, numbersOf, type Call } from './calls.ts';
import type { CoachInput, CoachRule } from './rule.ts';

export const NO_CLIENT_KEY: CoachRule = {
  key: 'no_client_key',
  title: {
    en: 'No client key at the exchange',
    ar: 'طلب رمز الوصول بلا مفتاح التطبيق',
  },
  advice: {
    en: 'Send the key with which the attempt was started in the header `Authorization: Bearer mfk_…` of `POST /token` too, and of `DELETE /attempts/{attempt_id}`. Without the key the answer is `404 attempt.not_found`, so that nobody else learns that there is such an attempt.',
    ar: 'أرسل المفتاح الذي بدأت به المحاولة في الترويسة `Authorization: Bearer mfk_…` مع `POST /token` أيضًا، ومع `DELETE /attempts/{attempt_id}`. ومن دون المفتاح يأتي الردّ `404 attempt.not_found`، حتى لا يعرف أحد سواك أن المحاولة موجودة.',
  },
  says: 'POST /token or DELETE /attempts was answered 404 attempt.not_found, with the attempt token and without a key.',
  check: (input) => numbersOf(hidden(input).filter((call) => !hasKey(call))),
};

export const OTHER_CLIENT_KEY: CoachRule = {
  key: 'other_client_key',
  title: {
    en: 'The key at the exchange is another one',
    ar: 'مفتاح التطبيق عند طلب رمز الوصول مفتاح آخر',
  },
  advice: {
    en: 'Send the same key in `Authorization` with `POST /start`, `POST /token` and `DELETE /attempts/{attempt_id}`: an attempt is there for the client that started it alone. With another key, and with one that no client has, the answer is `404 attempt.not_found`.',
    ar: 'أرسل المفتاح نفسه في `Authorization` مع `POST /start` و`POST /token` و`DELETE /attempts/{attempt_id}`، فالمحاولة متاحة للتطبيق الذي بدأها وحده. ومع مفتاح آخر، أو مفتاح لا يخص أي تطبيق، يأتي الردّ `404 attempt.not_found`.',
  },
  says: 'POST /token or DELETE /attempts was answered 404 attempt.not_found, with the attempt token and with a key.',
  check: (input) => numbersOf(hidden(input).filter(hasKey)),
};

export const KEY_OF_NOBODY: CoachRule = {
  key: 'key_of_nobody',
  title: {
    en: 'The client key is nobody’s',
    ar: 'مفتاح التطبيق لا يخص أي تطبيق',
  },
  advice: {
    en: 'Nothing was refused here, because plain simulator mode needs no key. Strict and live mode answer `401 client.unauthenticated`: send the key of your application in the header `Authorization: Bearer mfk_…`.',
    ar: 'لم يُرفض شيء هنا، لأن وضع المحاكاة العادي لا يطلب مفتاحًا. أما الوضع الصارم والتشغيل الفعلي فيردّان بالخطأ `401 client.unauthenticated`: أرسل مفتاح تطبيقك في الترويسة `Authorization: Bearer mfk_…`.',
  },
  says: 'POST /start or POST /token was carried out with an Authorization header that is not the key of a client.',
  check: (input) =>
    numbersOf(
      callsOf(input, 'startAttempt', 'issueToken').filter(
        (call) => isCarriedOut(call) && hasKey(call) && !input.isKey(keyOf(call)),
      ),
    ),
};

const isCarriedOut = ({ exchange: { status } }: Call): boolean => status !== null && status < 400;

/** Empty where the header is not `Bearer` and one value. */
function keyOf({ exchange }: Call): string {
  return /^bearer +(\S+) *$/i.exec(exchange.request.headers['authorization'] ?? '')?.[1] ?? '';
}

/** What only the attempt's own client may do, with the attempt's own token, was refused. */
function hidden(input: CoachInput): readonly Call[] {
  const [start] = callsOf(input, 'startAttempt');
  const token = textAt(start?.exchange.response.body, 'data', 'attempt_token');
  if (token === undefined) return [];
  return callsOf(input, 'issueToken', 'cancelAttempt').filter(
    (call) => errorCodeOf(call) === 'attempt.not_found' && tokenOf(call) === token,
  );
}

function tokenOf({ exchange: { request } }: Call): string | undefined {
  return textAt(request.body, 'attempt_token') ?? request.headers['x-provider-attempt-token'];
}

function hasKey({ exchange }: Call): boolean {
  return exchange.request.headers['authorization'] !== undefined;
}
