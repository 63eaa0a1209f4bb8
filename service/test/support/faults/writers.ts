import { ledTo } from '../led-to.ts';
import {
  type ApiClient,
  Unanswered,
  type Answer,
  type Issued,
  type Started,
} from '../programs/api-client.ts';
import type { History, KnownAttempt } from './history.ts';
import type { SeededRandom } from './seeded-random.ts';

const KEY_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-';
const KEY_LENGTH = 32;
/**
 * A number that is always unknown, so each request for it gives an error record with a new
 * reference.
 */
const UNKNOWN_ID = '1999999999';
const LISTED_IDS = ['1000001101', '1000002201', '2000005501', '3000009901'];

export interface Writer {
  /** The client of the next instance, in rotation. */
  readonly client: ApiClient;
  readonly history: History;
  readonly random: SeededRandom;
}

type Operation = (writer: Writer) => Promise<void>;

/** The operations, each as often as it is listed. */
export const OPERATIONS: readonly Operation[] = [
  start,
  start,
  start,
  complete,
  complete,
  complete,
  redeem,
  redeem,
  redeemInRace,
  revoke,
  refuse,
  readStatus,
  askForUnknown,
];

async function start({ client, history, random }: Writer): Promise<void> {
  const isPhone = random.chance(0.5);
  const body = isPhone ? { national_id: someNationalId(random), locale: 'ar' } : { locale: 'en' };
  const answer = count(history, await client.post('/start', body));
  if (answer.status !== 200) return;
  history.add((answer.json as { data: Started }).data, isPhone ? 'mfa' : 'oidc');
}

/** Half of the numbers belong to test people; for the others the default person signs in. */
function someNationalId(random: SeededRandom): string {
  return random.chance(0.5) ? random.pick(LISTED_IDS) : `29${random.text(8, '0123456789')}`;
}

async function complete(writer: Writer): Promise<void> {
  const { client, history } = writer;
  await withAttempt(writer, isOpen, async (attempt) => {
    const id = attempt.started.attempt_id;
    attempt.completion = 'unknown';
    const answer = count(history, await client.post(...completionOf(attempt.flow, id)));
    if (answer.status === 200) attempt.completion = 'acknowledged';
    else history.accuse(attempt, 'completion', `of an open attempt is ${answer.status}`);
  });
}

/** The path and the body of the request that completes an attempt. */
export function completionOf(flow: KnownAttempt['flow'], id: string): [string, object] {
  return flow === 'mfa'
    ? ['/complete-mfa', { attempt_id: id }]
    : ['/callback', { state: id, auto_complete: true }];
}

async function refuse(writer: Writer): Promise<void> {
  await withAttempt(writer, isRefusable, async (attempt) => {
    attempt.refusal = 'unknown';
    const fields = { state: attempt.started.attempt_id, decision: 'refuse' };
    const answer = await writer.client.postForm('/callback/sign-in', fields);
    // The browser is sent back to the application.
    if (ledTo(count(writer.history, answer).headers) !== null) attempt.refusal = 'acknowledged';
    else writer.history.accuse(attempt, 'refusal', `of an open attempt is ${answer.status}`);
  });
}

async function redeem(writer: Writer): Promise<void> {
  await withAttempt(writer, isRedeemable, async (attempt) => {
    const key = writer.random.chance(0.5) ? writer.random.text(KEY_LENGTH, KEY_ALPHABET) : null;
    await askForToken(writer, attempt, key);
  });
}

/**
 * Three redemptions at once: one may succeed, and the others get a proper error (invariants I1 and
 * I12).
 */
async function redeemInRace(writer: Writer): Promise<void> {
  await withAttempt(writer, isRedeemable, async (attempt) => {
    const racers = [1, 2, 3].map(() => askForToken(writer, attempt, null));
    const outcomes = await Promise.allSettled(racers);
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  });
}

async function askForToken(
  { client, history }: Writer,
  attempt: KnownAttempt,
  key: string | null,
): Promise<void> {
  if (attempt.redemption === 'never asked') {
    attempt.redemption = 'unknown';
    attempt.askedAt = Date.now();
  }
  attempt.key = key;
  const { attempt_id: id, attempt_token } = attempt.started;
  const headers = key === null ? {} : { 'idempotency-key': key };
  const sent = client.post(`/token/${id}`, { attempt_token }, headers);
  const answer = count(history, await sent);
  if (answer.status === 409) return;
  if (answer.status !== 200) {
    history.accuse(attempt, 'redemption', `of an authenticated attempt is ${answer.status}`);
    return;
  }
  const { token, user } = (answer.json as { data: Issued }).data;
  attempt.redemption = 'acknowledged';
  history.sawToken(attempt, token);
  history.sawUser(attempt, user);
}

async function revoke(writer: Writer): Promise<void> {
  await withAttempt(writer, hasToken, async (attempt) => {
    attempt.revocation = 'unknown';
    const answer = await writer.client.remove('/token', bearerOf(attempt));
    if (count(writer.history, answer).status === 204) attempt.revocation = 'acknowledged';
    else writer.history.accuse(attempt, 'revocation', `of a good token is ${answer.status}`);
  });
}

async function readStatus(writer: Writer): Promise<void> {
  await withAttempt(
    writer,
    () => true,
    async ({ started }) => {
      count(writer.history, await writer.client.status(started));
    },
  );
}

async function askForUnknown({ client, history }: Writer): Promise<void> {
  const path = '/stg/api/v1/mfa/request?local=ar&requestId=019a3b1e-7c40-7d2a-9f11-3c5b8e0a6d42';
  const body = JSON.stringify({ nationalId: UNKNOWN_ID, service: 'Login' });
  const headers = { 'content-type': 'application/json' };
  const answer = count(history, await client.send('POST', path, headers, body));
  history.sawReference((answer.json as { reference: number }).reference, answer.origin);
}

export function bearerOf({ tokens }: KnownAttempt): Record<string, string> {
  return { authorization: `Bearer ${[...tokens].join('')}` };
}

/** Runs the work on an attempt of that kind, if there is one that no other worker uses. */
async function withAttempt(
  { history: { attempts }, random }: Writer,
  isWanted: (attempt: KnownAttempt) => boolean,
  work: (attempt: KnownAttempt) => Promise<void>,
): Promise<void> {
  const wanted = attempts.slice(-RECENT).filter((one) => !one.taken && isWanted(one));
  if (wanted.length === 0) return;
  const attempt = random.pick(wanted);
  attempt.taken = true;
  try {
    await work(attempt);
  } finally {
    attempt.taken = false;
  }
}

/** Older attempts are left unchanged, to be checked after every restart. */
const RECENT = 200;

/** What is unknown is left to the next check. */
const isOpen = ({ completion, refusal }: KnownAttempt) =>
  completion === 'never asked' && refusal === 'never asked';
const isRefusable = (one: KnownAttempt) => isOpen(one) && one.flow === 'oidc';
const isRedeemable = (one: KnownAttempt) =>
  one.completion === 'acknowledged' && one.redemption === 'never asked';
const hasToken = (one: KnownAttempt) => one.tokens.size === 1 && one.revocation === 'never asked';

/**
 * Counts an answer. No request may cause an error of the service itself (invariant I12).
 * @throws Unanswered at 503 while the database is away: the request may have taken effect
 */
function count(history: History, answer: Answer): Answer {
  history.answers += 1;
  if (answer.status === 503 && history.isStoreAway) {
    history.unavailable += 1;
    if (answer.headers['retry-after'] === undefined) {
      history.violations.push(`503 without Retry-After: ${answer.text}`);
    }
    throw new Unanswered('the database is away');
  }
  if (answer.status >= 500) {
    history.violations.push(`I12: ${answer.status} ${answer.text}`);
  }
  return answer;
}
