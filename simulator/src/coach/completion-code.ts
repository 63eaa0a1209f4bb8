/** Whether an application proves that the browser came back to it. */
import { callsOf, errorCodeOf, isAnswered, numbersOf, type Call } from './calls.ts';
import { textAt } from './bodies.ts';
import { addressIn } from '../journal/led-to.ts';
import type { Numbered } from '../journal/journal.ts';
import type { CoachInput, CoachRule } from './rule.ts';

const HAS_CODE = /[?&#]completion_code=/;

const codeOf = ({ exchange }: Call): string | undefined =>
  textAt(exchange.request.body, 'completion_code');

const isRefused = (call: Call): boolean =>
  isAnswered(call, 409) && errorCodeOf(call) === 'attempt.completion_required';

export const NO_COMPLETION_CODE: CoachRule = {
  key: 'no_completion_code',
  title: {
    en: 'The completion code is not sent',
    ar: 'رمز الإكمال لم يُرسَل',
  },
  advice: {
    en: 'The browser comes back to your address with `completion_code`. Take it from there and send it as the member `completion_code` of `POST /token`. Simulator mode accepts the exchange without it; live mode answers `409 attempt.completion_required`.',
    ar: 'يعود المتصفح إلى عنوانك ومعه `completion_code`. خذه من هناك وأرسله في الحقل `completion_code` من متن الطلب `POST /token`. وضع المحاكي يقبل الطلب من دونه، أما التشغيل الفعلي فيردّ بالخطأ `409 attempt.completion_required`.',
  },
  says: 'A browser was sent back with completion_code, and then POST /token came without it; or that was refused.',
  check: (input) => {
    const given = returnWithCode(input)?.number ?? Infinity;
    const without = callsOf(input, 'issueToken').filter(
      (call) => codeOf(call) === undefined && (isRefused(call) || call.number > given),
    );
    return input.flow === 'oidc' ? numbersOf(without) : null;
  },
};

/** The first answer that sent the browser back with a code; undefined for none. */
export function returnWithCode({ entries }: CoachInput): Numbered | undefined {
  return entries.find(({ entry: { exchange } }) =>
    HAS_CODE.test(exchange === null ? '' : (addressIn(exchange) ?? '')),
  );
}

export const WRONG_COMPLETION_CODE: CoachRule = {
  key: 'wrong_completion_code',
  title: {
    en: 'The completion code was wrong or too late',
    ar: 'رمز الإكمال خاطئ أو متأخر',
  },
  advice: {
    en: 'Send `completion_code` as it stands in the address that this browser came back to, decoded once, within two minutes of the return. Use the newest one: each return of the browser has a new code. The fifth wrong code ends the attempt.',
    ar: 'أرسل `completion_code` كما جاء في العنوان الذي عاد إليه هذا المتصفح، بعد فك ترميزه مرة واحدة، وخلال دقيقتين من العودة. واستخدم الأحدث، فلكل عودة للمتصفح رمز إكمال جديد. ورمز الإكمال الخاطئ الخامس يُنهي المحاولة.',
  },
  says: 'POST /token with a completion_code was refused with 409 attempt.completion_required.',
  check: (input) =>
    numbersOf(
      callsOf(input, 'issueToken').filter((call) => codeOf(call) !== undefined && isRefused(call)),
    ),
};
