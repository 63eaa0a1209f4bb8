/** How an application begins, and whether it goes on. */
import type { Ms } from '../engine/ports.ts';
import { callsOf, numbersOf } from './calls.ts';
import { returnWithCode } from './completion-code.ts';
import type { CoachInput, CoachRule } from './rule.ts';

/** A second press of the button, or a page that runs its effects twice, and no second tab. */
const SECOND_START_MS: Ms = 2_000;
/** After the end, so that a reader who seldom polls has seen it. */
const TIME_TO_READ_MS: Ms = 60_000;

/** What an application calls to learn how its attempt has ended. */
const GOES_ON: readonly string[] = ['readStatus', 'watchStatus', 'completeMfa', 'issueToken'];

export const STARTS_TWICE: CoachRule = {
  key: 'starts_twice',
  title: {
    en: 'The same sign-in was started twice',
    ar: 'بدأ تسجيل الدخول نفسه مرتين',
  },
  advice: {
    en: 'Send `POST /start` once for each press: disable the button until the answer is there, and do not start in code that runs again when a page is drawn. By phone, a second start is a second prompt with another number for the person, and live mode refuses it: `429 push.budget_spent`.',
    ar: 'أرسل `POST /start` مرة واحدة لكل ضغطة: عطّل الزر حتى يصل الردّ، ولا تبدأ من شيفرة تعمل ثانيةً عند إعادة رسم الصفحة. فالبدء مرتين عبر الجوال يرسل إلى المستخدم إشعارًا آخر برقم آخر، ويرفضه التشغيل الفعلي بالخطأ `429 push.budget_spent`.',
  },
  says: 'Within two seconds, and while this attempt was pending, the same program (with the same User-Agent and key) started another one for the same person.',
  check: (input) => {
    const isTwice = input.othersStarted.some((other) => isSecond(other, input));
    return isTwice ? numbersOf(callsOf(input, 'startAttempt')) : null;
  },
};

/** The clock of a test may stand still: a start at the same time may be of any time. */
function isSecond(
  { at, isAlike }: CoachInput['othersStarted'][number],
  { createdAt, endedAt }: CoachInput,
): boolean {
  const wasPending = endedAt === null || at < endedAt;
  return isAlike && at > createdAt && at - createdAt < SECOND_START_MS && wasPending;
}

export const NEVER_FINISHES: CoachRule = {
  key: 'never_finishes',
  title: {
    en: 'The result was never asked for',
    ar: 'لم تُطلب نتيجة المحاولة',
  },
  advice: {
    en: 'After `POST /start` wait for the result: read `GET /status/{attempt_id}/events`, or `GET /status/{attempt_id}?wait=25` again and again, until `status` is no longer `pending`; then call `POST /token`. Otherwise the person approves, and nothing happens.',
    ar: 'بعد `POST /start` انتظر النتيجة: اقرأ `GET /status/{attempt_id}/events`، أو كرّر `GET /status/{attempt_id}?wait=25` حتى تصبح قيمة `status` غير `pending`، ثم اطلب `POST /token`. وإلا وافق المستخدم ولم يحدث شيء.',
  },
  says: 'A sign-in by phone ended, or a browser was sent back with completion_code, a minute ago or earlier, and the application has neither read the status nor tried to exchange the attempt.',
  check: (input) => {
    const [start] = callsOf(input, 'startAttempt');
    const isAbandoned = start !== undefined && callsOf(input, ...GOES_ON).length === 0;
    return isAbandoned && isLongOver(input) ? [start.number] : null;
  },
};

/** A browser that nobody comes back with ends a sign-in too, and is no fault of the application. */
function isLongOver(input: CoachInput): boolean {
  const { flow, state, endedAt, now } = input;
  if (state === 'pending' || state === 'redeemed') return false;
  const overAt = flow === 'mfa' ? endedAt : (returnWithCode(input)?.entry.at ?? null);
  return overAt !== null && now - overAt >= TIME_TO_READ_MS;
}
