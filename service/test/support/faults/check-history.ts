import type { Answer, ApiClient, Issued } from '../programs/api-client.ts';
import type { History, KnownAttempt } from './history.ts';
import { bearerOf, completionOf } from './writers.ts';

/** The clocks of test and service may differ by this much around an expiry. */
const EXPIRY_MARGIN_MS = 3000;
/** The replay window is a minute; within this time a replay must certainly work. */
const REPLAY_MS = 50_000;
const AT_ONCE = 8;

/** What a check asks an instance. */
export type Asked = Pick<ApiClient, 'get' | 'post' | 'status'>;

interface Look {
  /** One for each instance. */
  readonly clients: readonly Asked[];
  readonly history: History;
}

interface Turn {
  /** The instance whose turn it is. */
  readonly client: Asked;
  readonly clients: readonly Asked[];
  readonly history: History;
}

/**
 * Checks each attempt, and finds out what was unknown. Nothing else may use the attempts meanwhile.
 */
export async function checkHistory(look: Look, attempts: readonly KnownAttempt[]): Promise<void> {
  const rest = [...attempts];
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
      await check(look, rest.length, next);
    }
  });
  await Promise.all(workers);
}

async function check(
  { clients, history }: Look,
  number: number,
  attempt: KnownAttempt,
): Promise<void> {
  const client = clients[number % clients.length];
  if (client === undefined) throw new Error('a check needs an instance');
  const turn = { client, clients, history };
  const phase = phaseOf(attempt);
  if (phase === 'expiring') return;
  await checkStatus(turn, attempt, phase);
  if (phase === 'open') await checkRedemption(turn, attempt);
  else await checkLateCompletion(turn, attempt);
  await checkToken(turn, attempt);
}

type Phase = 'open' | 'expiring' | 'expired';

function phaseOf({ started }: KnownAttempt): Phase {
  const age = Date.now() - Date.parse(started.expires_at);
  if (Math.abs(age) < EXPIRY_MARGIN_MS) return 'expiring';
  return age < 0 ? 'open' : 'expired';
}

/** Invariants I2, I3, I4 and I5. */
async function checkStatus(
  { client, history }: Turn,
  attempt: KnownAttempt,
  phase: Phase,
): Promise<void> {
  const answer = await client.status(attempt.started);
  // On a busy machine the attempt may expire before its answer arrives.
  if (phaseOf(attempt) !== phase) return;
  if (answer.status !== 200) return history.accuse(attempt, 'I2', `is ${answer.status}`);
  const { status } = (answer.json as { data: { status: string } }).data;
  const allowed = allowedStates(attempt, phase);
  if (!allowed.includes(status)) {
    const name = brokenBy(attempt, status);
    history.accuse(attempt, name, `is ${status}, not ${allowed.join(' or ')}`);
  } else if (leftItsEnd(attempt, status)) {
    history.accuse(attempt, 'I5', `is ${status}, and was ${attempt.end}`);
  }
  settleState(attempt, status);
}

/** The invariant that such a status breaks. */
function brokenBy({ completion, refusal }: KnownAttempt, status: string): string {
  if (refusal === 'acknowledged') return 'I5';
  if (status === 'authenticated') return 'I4';
  return completion === 'acknowledged' ? 'I3' : 'I5';
}

/** Only an authenticated attempt that was not redeemed may still expire. */
function leftItsEnd({ end, redemption }: KnownAttempt, status: string): boolean {
  if (end === null || end === status) return false;
  return !(end === 'authenticated' && status === 'expired' && redemption !== 'acknowledged');
}

function allowedStates(attempt: KnownAttempt, phase: Phase): readonly string[] {
  const { completion, refusal, redemption } = attempt;
  if (redemption === 'acknowledged') return ['authenticated'];
  if (refusal === 'acknowledged') return ['rejected'];
  const rejected = refusal === 'unknown' ? ['rejected'] : [];
  // An authenticated attempt that was not redeemed in time has expired.
  if (phase === 'expired') {
    return ['expired', ...rejected, ...(redemption === 'unknown' ? AUTHENTICATED : [])];
  }
  if (completion === 'acknowledged') return AUTHENTICATED;
  return ['pending', ...rejected, ...(completion === 'unknown' ? AUTHENTICATED : [])];
}

const AUTHENTICATED: readonly string[] = ['authenticated'];

/**
 * Records the observed state. It is final: a request without an answer either has taken effect in
 * the store by now, or never will, whichever instance it was sent to.
 */
function settleState(attempt: KnownAttempt, status: string): void {
  if (status === 'authenticated') attempt.completion = 'acknowledged';
  if (status === 'rejected') attempt.refusal = 'acknowledged';
  if (status !== 'pending') {
    attempt.end = status;
    return;
  }
  attempt.completion = 'never asked';
  attempt.refusal = 'never asked';
}

/**
 * Invariants I1, I4 and I9. Finds out the result of an unknown redemption by repeating it, as a
 * client would.
 */
async function checkRedemption({ client, history }: Turn, attempt: KnownAttempt): Promise<void> {
  const { attempt_id: id, attempt_token } = attempt.started;
  const { key, redemption, revocation, completion } = attempt;
  const headers = key === null ? {} : { 'idempotency-key': key };
  const ask = () => client.post(`/token/${id}`, { attempt_token }, headers);
  if (completion !== 'acknowledged') return expectRefusal(history, attempt, await ask());
  if (redemption === 'never asked') return;
  const isReplay = redemption === 'acknowledged';
  if (isReplay && !isRepeatable(attempt)) return;
  const answer = await ask();
  // While waiting for the answer, the attempt or the replay window may have expired.
  if (isReplay && !isRepeatable(attempt)) return;
  if (answer.status !== 200 && phaseOf(attempt) !== 'open') return;
  attempt.redemption = 'acknowledged';
  if (answer.status === 200) {
    const { token, user } = (answer.json as { data: Issued }).data;
    history.sawToken(attempt, token);
    history.sawUser(attempt, user);
    return;
  }
  const mayBeRefused = answer.status === 409 && (!isReplay || revocation !== 'never asked');
  if (!mayBeRefused) history.accuse(attempt, 'I9', `gives ${answer.status} to a repetition`);
}

function isRepeatable({ key, revocation, askedAt }: KnownAttempt): boolean {
  return key !== null && revocation === 'never asked' && Date.now() - askedAt < REPLAY_MS;
}

function expectRefusal(history: History, attempt: KnownAttempt, { status }: Answer): void {
  if (status !== 409 && phaseOf(attempt) === 'open') {
    history.accuse(attempt, 'I4', `gives ${status} for a token too early`);
  }
}

/** Invariant I6: what has expired can't be completed any more. */
async function checkLateCompletion(
  { client, history }: Turn,
  attempt: KnownAttempt,
): Promise<void> {
  const { completion, refusal, started } = attempt;
  if (completion !== 'never asked' || refusal !== 'never asked') return;
  const { status } = await client.post(...completionOf(attempt.flow, started.attempt_id));
  if (status < 400) history.accuse(attempt, 'I6', `gives ${status} to a completion too late`);
  if (status >= 500) history.accuse(attempt, 'I12', `gives ${status} to a completion too late`);
}

/** Invariant I7, at every instance, and that an issued token gives its person's record. */
async function checkToken({ clients, history }: Turn, attempt: KnownAttempt): Promise<void> {
  const { tokens, revocation, userId } = attempt;
  if (tokens.size !== 1) return;
  const answers = await Promise.all(
    clients.map((client) => client.get('/user', bearerOf(attempt))),
  );
  const statuses = [...new Set(answers.map(({ status }) => status))];
  const expected = revocation === 'never asked' ? [200] : [401];
  if (revocation === 'unknown') expected.push(200);
  if (statuses.length > 1 || statuses.some((status) => !expected.includes(status))) {
    const what = `(revocation ${revocation}) has a token that is ${statuses.join(' and ')}`;
    history.accuse(attempt, 'I7', what);
  }
  attempt.revocation = statuses.includes(401) ? 'acknowledged' : 'never asked';
  for (const answer of answers.filter(({ status }) => status === 200)) {
    const { id } = (answer.json as { data: { id: number } }).data;
    if (id !== userId) history.accuse(attempt, 'I8', `has user ${id}, who was ${userId}`);
  }
}
