/** How an application asks for the status: too often, or although the attempt has ended. */
import type { Ms } from '../engine/ports.ts';
import { isAnswered, numbersOf, queryOf, readsOf, toldStatus, type Call } from './calls.ts';
import type { CoachInput, CoachRule } from './rule.ts';

/** The service asks for two seconds between two questions; timers and networks are not exact. */
const SHORTEST_GAP_MS: Ms = 1500;
/** So many short gaps one after another: a second tab of the same user makes one or two. */
const SHORT_GAPS = 5;
/** So many reads after the end: each open page of the user may see the end once. */
const READS_AFTER_END = 5;
/** Reads further apart than this are visits of a page, and nobody polls. */
const SAME_LOOP_MS: Ms = 30_000;

export const POLLS_TOO_FAST: CoachRule = {
  key: 'polls_too_fast',
  title: {
    en: 'The status is asked for too often',
    ar: 'طلب الحالة متكرر أكثر من اللازم',
  },
  advice: {
    en: 'Wait two seconds between two calls of `GET /status`, and let one reader ask for each attempt. Better: add `?wait=25` to the address, or read `GET /status/{attempt_id}/events`, and be told at once without polling.',
    ar: 'انتظر ثانيتين بين كل طلبين من `GET /status`، واجعل لكل محاولة قارئًا واحدًا. والأفضل أن تضيف `?wait=25` إلى العنوان، أو تقرأ `GET /status/{attempt_id}/events`، فيصلك التغيير فور حدوثه.',
  },
  says: 'Six polls or more of a pending attempt came one after another, each less than 1.5 seconds after the one before. Long polls and streams do not count.',
  check: (input) => {
    const polls = readsOf(input).filter(
      (call) => isPlainPoll(call) && toldStatus(call) === 'pending',
    );
    return numbersOf(longestHurry(polls, SHORTEST_GAP_MS));
  },
};

/** Long polls are answered when something changes, so they may follow each other at once. */
function isPlainPoll(call: Call): boolean {
  const asksToWait = queryOf(call).has('wait') || 'prefer' in call.exchange.request.headers;
  return call.name === 'readStatus' && !asksToWait;
}

/** The longest row of polls with short gaps between them; empty if none is long enough. */
export function longestHurry(polls: readonly Call[], shortestGap: Ms): readonly Call[] {
  let longest: readonly Call[] = [];
  let row: readonly Call[] = [];
  for (const poll of polls) {
    const before = row.at(-1);
    row = before !== undefined && poll.at - before.at < shortestGap ? [...row, poll] : [poll];
    if (row.length > longest.length) longest = row;
  }
  return movingGaps(longest) < SHORT_GAPS ? [] : longest;
}

/** The clock of a test may stand still: two calls at the same time say nothing about their gap. */
function movingGaps(row: readonly Call[]): number {
  return new Set(row.map(({ at }) => at)).size - 1;
}

export const READS_AFTER_THE_END: CoachRule = {
  key: 'reads_after_end',
  title: {
    en: 'The status is still asked for after the end',
    ar: 'طلب الحالة مستمر بعد انتهاء المحاولة',
  },
  advice: {
    en: 'Stop as soon as `status` is anything but `pending`. `authenticated`: exchange the attempt by `POST /token`. `rejected`, `expired`, `failed`, and a word that you do not know: show `message` and offer a new sign-in.',
    ar: 'توقّف ما إن تصبح قيمة `status` غير `pending`. إذا كانت `authenticated` فاستبدل المحاولة عبر `POST /token`. أما `rejected` أو `expired` أو `failed`، وأي قيمة لا تعرفها، فاعرض قيمة `message` واعرض على المستخدم تسجيل دخول جديدًا.',
  },
  says: 'After an answer that told the end, the status was read five times more or oftener, with less than 30 seconds between two reads.',
  check: (input) => {
    const reads = readsOf(input);
    const end = reads.find((call) => hasEnded(toldStatus(call)));
    if (end === undefined) return null;
    const later = reads.filter((call) => call.number > end.number && isAfter(call, end));
    const loop = later.filter((call, place) => {
      const before = later[place - 1] ?? end;
      return call.at - before.at < SAME_LOOP_MS;
    });
    return loop.length < READS_AFTER_END ? null : numbersOf(loop);
  },
};

/** 204: a stream is asked for again after its end. */
function isAfter(call: Call, end: Call): boolean {
  return call.at >= end.answeredAt && (isAnswered(call, 200) || isAnswered(call, 204));
}

function hasEnded(status: string | undefined): boolean {
  return status !== undefined && status !== 'pending';
}

/** The first read that told that somebody is authenticated; undefined for none. */
export function firstAuthenticated(input: CoachInput): Call | undefined {
  return readsOf(input).find((call) => toldStatus(call) === 'authenticated');
}
