import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Answer, ApiClient, Issued } from '../programs/api-client.ts';
import type { History, KnownAttempt } from './history.ts';
import { bearerOf } from './writers.ts';

/** The clocks of test and service may differ by this much around an expiry. */
const EXPIRY_MARGIN_MS = 3000;
/** The replay window is a minute; within this time a replay must certainly work. */
const REPLAY_MS = 50_000;
const AT_ONCE = 8;

interface Look {
  readonly client: ApiClient;
  readonly history: History;
}

/**
 * Checks each attempt, and finds out what was unknown. Nothing else may use the attempts meanwhile.
 */
export async function checkHistory(look: Look, attempts: readonly KnownAttempt[]): Promise<void> {
  const rest = [...attempts];
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (let next = rest.pop(); next !== undefined; next = rest.pop()) await check(look, next);
  });
  await Promise.all(workers);
}

async function check(look: Look, attempt: KnownAttempt): Promise<void> {
  const phase = phaseOf(attempt);
  if (phase === 'expiring') return;
  await checkStatus(look, attempt, phase);
  if (phase === 'open') await checkRedemption(look, attempt);
  await checkToken(look, attempt);
}

type Phase = 'open' | 'expiring' | 'expired';

function phaseOf({ started }: KnownAttempt): Phase {
  const age = Date.now() - Date.parse(started.expires_at);
  if (Math.abs(age) < EXPIRY_MARGIN_MS) return 'expiring';
  return age < 0 ? 'open' : 'expired';
}

/** Invariants I2, I3, I4 and I5. */
async function checkStatus(
  { client, history }: Look,
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
    history.accuse(attempt, 'I3-I5', `is ${status}, not ${allowed.join(' or ')}`);
  }
  settleState(attempt, status);
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

/** Records the observed state, which is final: a lost request can't take effect later. */
function settleState(attempt: KnownAttempt, status: string): void {
  if (status === 'authenticated') attempt.completion = 'acknowledged';
  if (status === 'rejected') attempt.refusal = 'acknowledged';
  if (status !== 'pending') return;
  attempt.completion = 'never asked';
  attempt.refusal = 'never asked';
}

/**
 * Invariants I1, I4 and I9. Finds out the result of an unknown redemption by repeating it, as a
 * client would.
 */
async function checkRedemption({ client, history }: Look, attempt: KnownAttempt): Promise<void> {
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

/** Invariant I7, and that an issued token gives its person's record. */
async function checkToken({ client, history }: Look, attempt: KnownAttempt): Promise<void> {
  const { tokens, revocation, userId } = attempt;
  if (tokens.size !== 1) return;
  const answer = await client.get('/user', bearerOf(attempt));
  const expected = revocation === 'never asked' ? [200] : [401];
  if (revocation === 'unknown') expected.push(200);
  if (!expected.includes(answer.status)) {
    history.accuse(
      attempt,
      'I7',
      `(revocation ${revocation}) has a token that is ${answer.status}`,
    );
  }
  attempt.revocation = answer.status === 401 ? 'acknowledged' : 'never asked';
  if (answer.status !== 200) return;
  const { id } = (answer.json as { data: { id: number } }).data;
  if (id !== userId) history.accuse(attempt, 'I8', `has user ${id}, who was ${userId}`);
}

/** Checks the database file directly: it is intact, and each attempt has at most one token. */
export function checkDatabase(history: History, dataDir: string): void {
  const database = new DatabaseSync(join(dataDir, 'miftah.db'), { readOnly: true });
  const rows = (sql: string) => database.prepare(sql).all();
  try {
    const [integrity] = rows('PRAGMA integrity_check');
    if (integrity?.['integrity_check'] !== 'ok') {
      history.violations.push(`integrity: ${JSON.stringify(integrity)}`);
    }
    const doubles = rows('SELECT 1 FROM api_tokens GROUP BY attempt_id HAVING COUNT(*) > 1');
    if (doubles.length > 0) history.violations.push(`I1: ${doubles.length} attempts have two rows`);
    const unfounded = rows(`SELECT 1 FROM api_tokens JOIN attempts USING (attempt_id)
      WHERE attempts.redeemed_at IS NULL OR attempts.authenticated_at IS NULL`);
    if (unfounded.length > 0) history.violations.push(`I4: ${unfounded.length} unfounded tokens`);
    const twins = rows(`SELECT 1 FROM users
      GROUP BY issuer, document_type, document_number HAVING COUNT(*) > 1`);
    if (twins.length > 0) history.violations.push(`I8: ${twins.length} people are two users`);
  } finally {
    database.close();
  }
}
