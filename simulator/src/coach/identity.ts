/** Where an application takes from who has signed in. */
import type { Ms } from '../engine/ports.ts';
import { callsOf } from './calls.ts';
import { firstAuthenticated } from './polling.ts';
import type { CoachInput, CoachRule } from './rule.ts';

/** Longer than an application needs, and longer than a completion code is good for. */
const TIME_TO_EXCHANGE_MS: Ms = 120_000;

export const IDENTITY_FROM_STATUS: CoachRule = {
  key: 'identity_from_status',
  title: {
    en: 'The status was read, and the attempt was never exchanged',
    ar: 'قُرئت الحالة ولم يُطلب رمز الوصول',
  },
  advice: {
    en: 'Call `POST /token` as soon as `token_ready` is true, and take the person from its answer or from `GET /user`. `user` in the status is for display: in live mode it has no name and only four digits, and whoever has the attempt token can read it.',
    ar: 'اطلب `POST /token` ما إن تصبح قيمة `token_ready` مساويةً لـ `true`، وخذ بيانات المستخدم من ردّه أو من `GET /user`. أما `user` في ردّ الحالة فللعرض فقط: في التشغيل الفعلي لا يحتوي اسمًا ولا يحتوي غير أربعة أرقام، ويستطيع قراءته كل من لديه رمز المحاولة.',
  },
  says: 'An answer told "authenticated", and in the two minutes after it POST /token was not called.',
  check: (input) => {
    const told = firstAuthenticated(input);
    if (told === undefined || wasExchanged(input)) return null;
    return input.now - told.answeredAt < TIME_TO_EXCHANGE_MS ? null : [told.number];
  },
};

/** Also one that was refused; also by another instance, whose calls are not in this time line. */
function wasExchanged(input: CoachInput): boolean {
  return input.state === 'redeemed' || callsOf(input, 'issueToken').length > 0;
}
