import { faultOfStatus, SLOW_ANSWER } from './answer-faults.ts';
import type { PushContent } from '../claims/push-token.ts';
import type {
  AnswerEffect,
  AnswerFault,
  Delivery,
  PhoneEffect,
  ResultEffect,
  TokenFlaw,
} from './effects.ts';
import type { RecordName } from '../error-records.ts';
import type { Texts } from '../locale.ts';
import { outcomeId } from '../people/national-id.ts';
import type { Ms } from '../ports.ts';

export interface Outcome {
  /** The last two digits of the identity. A number never changes its meaning. */
  readonly number: number;
  readonly key: string;
  readonly title: Texts;
  readonly effect: PhoneEffect | AnswerEffect | ResultEffect;
  /** The assurance level of the identity's person, if it is not the usual one. */
  readonly assuranceLevel?: number;
  /** The content of a push's signed result, by how the push ended, if it is not the usual one. */
  readonly contents?: Partial<Readonly<Record<'approved' | 'rejected', PushContent>>>;
  /** Whether a signed result is sent when the push expires. */
  readonly tellsExpiry?: true;
}

const LAST_MOMENT_MS: Ms = 500;
const APPROVAL_DELAY_MS: Ms = 3000;
const LOWER_ASSURANCE = 1;

const phone = (end: PhoneEffect['end'], after: Ms = 0): PhoneEffect => ({
  on: 'phone',
  end,
  delay: { after },
});
const answer = (fault: AnswerFault): AnswerEffect => ({ on: 'answer', fault });
const record = (name: RecordName): AnswerEffect => answer({ kind: 'record', record: name });
const delivered = (delivery: Delivery): ResultEffect => ({ on: 'result', delivery, flaw: null });
const flawed = (flaw: TokenFlaw): ResultEffect => ({ on: 'result', delivery: 'once', flaw });

/**
 * The reserved identities. Each group of ten has a subject: phone, records, transport, callbacks,
 * tokens.
 */
export const OUTCOMES: readonly Outcome[] = [
  {
    number: 1,
    key: 'approves_at_once',
    title: { en: 'Approves at once', ar: 'يوافق فورًا' },
    effect: phone('approved'),
  },
  {
    number: 2,
    key: 'approves_after_3s',
    title: { en: 'Approves after three seconds', ar: 'يوافق بعد ثلاث ثوانٍ' },
    effect: phone('approved', APPROVAL_DELAY_MS),
  },
  {
    number: 3,
    key: 'approves_in_last_second',
    title: { en: 'Approves in the last second', ar: 'يوافق في الثانية الأخيرة' },
    effect: { on: 'phone', end: 'approved', delay: { beforeExpiry: LAST_MOMENT_MS } },
  },
  {
    number: 10,
    key: 'refuses',
    title: { en: 'Refuses', ar: 'يرفض' },
    effect: phone('refused'),
  },
  {
    number: 11,
    key: 'not_me',
    title: { en: 'Says that it was somebody else', ar: 'يقول إنه ليس صاحب الطلب' },
    effect: phone('not_me'),
  },
  {
    number: 12,
    key: 'wrong_number',
    title: { en: 'Picks the wrong number', ar: 'يختار الرقم الخطأ' },
    effect: phone('wrong_number'),
  },
  {
    number: 13,
    key: 'never_answers',
    title: { en: 'Never answers', ar: 'لا يردّ أبدًا' },
    effect: phone('nothing'),
  },
  {
    number: 14,
    key: 'refuses_named',
    title: {
      en: 'Refuses, and the signed result names the person',
      ar: 'يرفض، والنتيجة الموقَّعة تذكر اسمه',
    },
    effect: phone('refused'),
    contents: { rejected: 'whole' },
  },
  {
    number: 20,
    key: 'active_transaction',
    title: { en: 'Has an active transaction', ar: 'لديه طلب قائم' },
    effect: record('activeTransaction'),
  },
  {
    number: 21,
    key: 'unknown_record',
    title: { en: 'Is not known to the provider', ar: 'غير معروف لدى مزوّد الهوية' },
    effect: record('recordNotFound'),
  },
  {
    number: 30,
    key: 'gateway_refuses',
    title: { en: 'The gateway refuses with 403', ar: 'البوابة ترفض بالحالة 403' },
    effect: answer(faultOfStatus(403)),
  },
  {
    number: 31,
    key: 'provider_error_500',
    title: { en: 'The provider fails with 500', ar: 'مزوّد الهوية يتعطّل بالحالة 500' },
    effect: answer(faultOfStatus(500)),
  },
  {
    number: 32,
    key: 'provider_down_503',
    title: {
      en: 'The provider is down: 503 with a page',
      ar: 'مزوّد الهوية متوقف: صفحة بالحالة 503',
    },
    effect: answer(faultOfStatus(503)),
  },
  {
    number: 33,
    key: 'slow_answer',
    title: { en: 'The answer takes ten seconds', ar: 'يتأخر الردّ عشر ثوانٍ' },
    effect: answer(SLOW_ANSWER),
  },
  {
    number: 34,
    key: 'broken_json',
    title: { en: 'The answer is broken JSON', ar: 'الردّ ليس JSON سليمًا' },
    effect: answer({ kind: 'malformed' }),
  },
  {
    number: 35,
    key: 'connection_cut',
    title: { en: 'Accepted, then the connection is cut', ar: 'يُقبل الطلب ثم ينقطع الاتصال' },
    effect: answer({ kind: 'cut' }),
  },
  {
    number: 40,
    key: 'callback_twice',
    title: { en: 'The signed result is sent twice', ar: 'تُرسل النتيجة الموقَّعة مرتين' },
    effect: delivered('twice'),
  },
  {
    number: 41,
    key: 'callback_before_reply',
    title: {
      en: 'The signed result comes before the answer to the request',
      ar: 'تصل النتيجة الموقَّعة قبل الردّ على الطلب',
    },
    effect: delivered('before_reply'),
  },
  {
    number: 42,
    key: 'callback_lost',
    title: { en: 'The signed result never comes', ar: 'لا تصل النتيجة الموقَّعة أبدًا' },
    effect: delivered('never'),
  },
  {
    number: 43,
    key: 'token_late',
    title: {
      en: 'Completed by status, signed ten seconds later',
      ar: 'يكتمل بحسب الحالة ثم يُوقَّع بعد عشر ثوانٍ',
    },
    effect: delivered('late'),
  },
  {
    number: 44,
    key: 'callback_expired',
    title: {
      en: 'Never answers, and a signed result says so at the expiry',
      ar: 'لا يردّ أبدًا، وتصل عند انتهاء المهلة نتيجة موقَّعة بذلك',
    },
    effect: phone('nothing'),
    tellsExpiry: true,
  },
  {
    number: 50,
    key: 'token_unknown_key',
    title: {
      en: 'The token is signed with a key that nobody published',
      ar: 'الرمز موقَّع بمفتاح غير منشور',
    },
    effect: flawed('unknown_key'),
  },
  {
    number: 51,
    key: 'token_wrong_audience',
    title: { en: 'The token is for somebody else’s service', ar: 'الرمز موجَّه إلى خدمة أخرى' },
    effect: flawed('wrong_audience'),
  },
  {
    number: 52,
    key: 'token_expired',
    title: { en: 'The token has expired', ar: 'الرمز منتهي الصلاحية' },
    effect: flawed('expired'),
  },
  {
    number: 53,
    key: 'token_other_person',
    title: { en: 'The token names another person', ar: 'الرمز باسم شخص آخر' },
    effect: flawed('other_person'),
  },
  {
    number: 54,
    key: 'token_alg_none',
    title: { en: 'The token is not signed', ar: 'الرمز بلا توقيع' },
    effect: flawed('alg_none'),
  },
  {
    number: 60,
    key: 'lower_assurance',
    title: { en: 'Approves with a lower assurance level', ar: 'يوافق بمستوى تحقق أدنى' },
    effect: phone('approved'),
    assuranceLevel: LOWER_ASSURANCE,
  },
  {
    number: 61,
    key: 'result_without_names',
    title: {
      en: 'Approves, and the signed result has no name',
      ar: 'يوافق، والنتيجة الموقَّعة بلا اسم',
    },
    effect: phone('approved'),
    contents: { approved: 'thin' },
  },
];

const BY_IDENTITY: ReadonlyMap<string, Outcome> = new Map(
  OUTCOMES.map((outcome) => [outcomeId(outcome.number), outcome]),
);
const BY_KEY: ReadonlyMap<string, Outcome> = new Map(OUTCOMES.map((one) => [one.key, one]));

export function outcomeFor(nationalId: string): Outcome | null {
  return BY_IDENTITY.get(nationalId) ?? null;
}

export function outcomeWithKey(key: string): Outcome | null {
  return BY_KEY.get(key) ?? null;
}
