/** Whether an application waits as long as it was asked to. */
import type { Ms } from '../engine/ports.ts';
import { callsOf, numbersOf, type Call } from './calls.ts';
import type { CoachRule } from './rule.ts';

const SECOND_MS: Ms = 1000;
/** Timers are not exact: so much of the time has to pass. */
const ENOUGH = 0.9;
const ASKS_TO_WAIT: ReadonlySet<number | null> = new Set([429, 503]);
/** One early call can be another tab of the same user, who has not seen the answer. */
const EARLY_CALLS = 2;

export const IGNORES_RETRY_AFTER: CoachRule = {
  key: 'ignores_retry_after',
  title: {
    en: '`Retry-After` is ignored',
    ar: 'ترويسة `Retry-After` متجاهَلة',
  },
  advice: {
    en: 'After an answer 429 or 503, read the header `Retry-After` and send the request again only when so many seconds have passed. Wait longer each time if it fails again.',
    ar: 'بعد ردّ 429 أو 503 اقرأ الترويسة `Retry-After`، ولا ترسل الطلب مرة أخرى إلا بعد مرور هذا العدد من الثواني. وإن فشل مرة أخرى فانتظر مدة أطول في كل مرة.',
  },
  says: 'After an answer 429 or 503 with Retry-After, the same operation was called twice or oftener before nine tenths of that time had passed.',
  check: (input) => {
    const calls = callsOf(input);
    const early = calls.filter((call) => calls.some((asked) => isTooEarly(call, asked)));
    return early.length < EARLY_CALLS ? null : numbersOf(early);
  },
};

/** The clock of a test may stand still: a call at the same time says nothing. */
function isTooEarly(call: Call, asked: Call): boolean {
  const waitMs = secondsAsked(asked) * SECOND_MS * ENOUGH;
  const passed = call.at - asked.answeredAt;
  return call.name === asked.name && call.at > asked.at && passed >= 0 && passed < waitMs;
}

/** 0 if the answer asks for no wait in seconds. */
function secondsAsked({ exchange: { status, response } }: Call): number {
  const text = response.headers['retry-after'] ?? '';
  return ASKS_TO_WAIT.has(status) && /^\d{1,5}$/.test(text) ? Number(text) : 0;
}
