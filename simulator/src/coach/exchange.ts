/** How an application exchanges its attempt for an API token. */
import { callsOf, errorCodeOf, numbersOf, type Call } from './calls.ts';
import type { CoachRule } from './rule.ts';

const keyOf = ({ exchange }: Call): string | undefined =>
  exchange.request.headers['idempotency-key'];

export const NO_IDEMPOTENCY_KEY: CoachRule = {
  key: 'no_idempotency_key',
  title: {
    en: 'The exchange has no `Idempotency-Key`',
    ar: 'طلب رمز الوصول بلا ترويسة `Idempotency-Key`',
  },
  advice: {
    en: 'Send the header `Idempotency-Key` with `POST /token`: a random text of at least 22 characters, such as a UUID, made once for each attempt. If the answer is lost, the same request with the same key gives the same token within 60 seconds. Without it the sign-in is lost.',
    ar: 'أرسل الترويسة `Idempotency-Key` مع `POST /token`: نص عشوائي من 22 حرفًا على الأقل، مثل UUID، يُنشأ مرة واحدة لكل محاولة. فإذا ضاع الردّ أعاد الطلب نفسه بالقيمة نفسها رمز الوصول نفسه خلال 60 ثانية. ومن دونها يضيع تسجيل الدخول.',
  },
  says: 'POST /token was sent without the header.',
  check: (input) =>
    numbersOf(callsOf(input, 'issueToken').filter((call) => keyOf(call) === undefined)),
};

export const NEW_KEY_FOR_A_REPEAT: CoachRule = {
  key: 'new_key_for_repeat',
  title: {
    en: 'A repeated exchange has a new `Idempotency-Key`',
    ar: 'تكرار طلب رمز الوصول بقيمة جديدة في `Idempotency-Key`',
  },
  advice: {
    en: 'Make one `Idempotency-Key` for each attempt, keep it with the attempt token, and send the same one with each repeat of `POST /token`. A new key is another request, which comes too late: `409 attempt.already_redeemed`.',
    ar: 'أنشئ قيمة واحدة للترويسة `Idempotency-Key` لكل محاولة، واحفظها مع رمز المحاولة، وأرسل القيمة نفسها مع كل تكرار لطلب `POST /token`. فالقيمة الجديدة تعني طلبًا آخر متأخرًا، وردّه `409 attempt.already_redeemed`.',
  },
  says: 'POST /token with one key was answered 409 attempt.already_redeemed, after it had been sent with another key.',
  check: (input) => {
    const calls = callsOf(input, 'issueToken').filter((call) => keyOf(call) !== undefined);
    const [first] = calls;
    return numbersOf(
      calls.filter(
        (call) =>
          errorCodeOf(call) === 'attempt.already_redeemed' &&
          first !== undefined &&
          keyOf(call) !== keyOf(first),
      ),
    );
  },
};
