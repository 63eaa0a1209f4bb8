import type { AttemptId } from '../domain/attempt-id.ts';
import { attemptAt, type AttemptRecord, type CompletionProof } from '../domain/attempt.ts';
import { browserDigest } from '../domain/browser-secret.ts';
import {
  COMPLETION_CODE_BYTES,
  COMPLETION_CODE_LIFETIME_MS,
  completionCodeDigest,
  makeCompletionCode,
} from '../domain/completion-code.ts';
import { NO_DIGEST, sameDigest } from '../domain/digest.ts';
import { Refusal } from '../domain/errors/refusal.ts';
import { stateDigest, type RedirectTransaction } from '../domain/provider-transaction.ts';
import type { Secret } from '../domain/secret.ts';
import type { Ms } from '../domain/time.ts';
import { endByFault } from './end-by-fault.ts';
import { finishLogin } from './finish-login.ts';
import { browserMismatch } from './launch.ts';
import type { LiveTools } from './tools.ts';

export interface BrowserReturn {
  readonly state: string;
  /** The secret that this browser holds for an attempt, or null. */
  readonly cookieOf: (attemptId: string) => string | null;
  /** Counts a return of the right browser. One of another is looked at however often it comes. */
  readonly admit: (attemptId: AttemptId) => void;
  /** Where the browser is, for the provider. */
  readonly address: string;
}

export interface Returned {
  readonly record: AttemptRecord;
  readonly completionCode: Secret;
}

interface Found {
  readonly record: AttemptRecord;
  readonly transaction: RedirectTransaction;
}

/**
 * The browser comes back from the provider. The order is the defence: whose browser it is comes
 * before anything is asked of the provider, so a state that was sent to a victim achieves nothing.
 * @throws Refusal `attempt.not_found`, `callback.browser_mismatch`, `attempt.rejected` or `provider.*`
 */
export async function finishReturn(
  tools: LiveTools,
  back: BrowserReturn,
  now: Ms,
): Promise<Returned> {
  const found = await findByState(tools, back.state);
  const { attemptId } = found.record;
  const isSame = isSameBrowser(found, back);
  if (isSame) back.admit(attemptId);
  // A state can be exchanged once: the same browser twice at once must not be its own rival.
  return tools.turns.run(attemptId, async () => {
    if (!isSame) throw await refuseStranger(tools, back.state, now);
    return finishInTurn(tools, back, now);
  });
}

async function finishInTurn(tools: LiveTools, back: BrowserReturn, now: Ms): Promise<Returned> {
  const found = await findByState(tools, back.state);
  const { state: standing } = attemptAt(found.record, now);
  if (standing === 'pending') return exchange(tools, found, back, now);
  if (standing === 'authenticated') return renew(tools, found, now);
  throw new Refusal('attempt.not_found');
}

async function findByState({ store }: LiveTools, state: string): Promise<Found> {
  const found = await store.findByState(stateDigest(state));
  if (found?.transaction.kind !== 'redirect') throw new Refusal('attempt.not_found');
  return { record: found.attempt, transaction: found.transaction };
}

function isSameBrowser({ record, transaction }: Found, { cookieOf }: BrowserReturn): boolean {
  const cookie = cookieOf(record.attemptId);
  const presented = cookie === null ? NO_DIGEST : browserDigest(cookie);
  const bound = transaction.browserDigest;
  return bound !== null && cookie !== null && sameDigest(bound, presented);
}

/**
 * The state is in another browser than it was launched in, so that is where the person has approved:
 * whoever launched knows the state too, and may have sent the provider's address on. From now on it
 * is good for nobody; without its address the attempt is neither launched nor finished. What the
 * other browser has finished in the meantime, and not redeemed, ends.
 */
async function refuseStranger(tools: LiveTools, state: string, now: Ms): Promise<Refusal> {
  const { record, transaction } = await findByState(tools, state);
  const { attemptId } = record;
  const isUnredeemed = attemptAt(record, now).state === 'authenticated';
  await tools.store.eraseLaunchUrl(attemptId);
  if (isUnredeemed) {
    await tools.store.failAttempt({ attemptId, at: now, reason: 'callback.browser_mismatch' });
  }
  const changes = isUnredeemed || transaction.launchUrl !== null;
  return browserMismatch(tools, record, now, changes ? 'attempt changed' : 'nothing changed');
}

/**
 * The state is spent, or nobody knows whether it is, or the provider has said no: whoever launched
 * has one try, and can't ask until the person has approved. Only an outage leaves a second one.
 */
const SETTLING = new Set([
  'assurance.insufficient',
  'provider.bad_response',
  'provider.mismatch',
  'provider.misconfigured',
  'provider.timeout',
] as const);

async function exchange(
  tools: LiveTools,
  { record, transaction }: Found,
  { state, address }: BrowserReturn,
  now: Ms,
): Promise<Returned> {
  const { attemptId } = record;
  if (transaction.launchUrl === null) {
    await tools.store.failAttempt({ attemptId, at: now, reason: 'callback.browser_mismatch' });
    throw await browserMismatch(tools, record, now, 'attempt changed');
  }
  const returned = { state, address, attempt: record, transaction };
  const person = await tools.signed.exchange(returned, now).catch(async (error: unknown) => {
    await endByFault(tools, attemptId, SETTLING, error, now);
    throw error;
  });
  if (person === null) {
    await tools.store.rejectAttempt({ attemptId, at: now, reason: 'attempt.rejected' });
    throw new Refusal('attempt.rejected');
  }
  const { code, proof } = newCompletion(tools, now);
  const finished = await finishLogin(tools, record, person, proof, now);
  if (finished === null) throw new Refusal('attempt.not_found');
  await tools.store.eraseLaunchUrl(attemptId);
  return { record: finished.attempt, completionCode: code };
}

/** The same browser again, perhaps because the answer before was lost: a new code, the old one ends. */
async function renew(tools: LiveTools, { record }: Found, now: Ms): Promise<Returned> {
  const { code, proof } = newCompletion(tools, now);
  const { attemptId } = record;
  const renewed = await tools.store.rotateCompletion({ attemptId, at: now, completion: proof });
  if (renewed === null) throw new Refusal('attempt.not_found');
  return { record: renewed, completionCode: code };
}

function newCompletion({ random }: LiveTools, now: Ms): { code: Secret; proof: CompletionProof } {
  const code = makeCompletionCode(random.bytes(COMPLETION_CODE_BYTES));
  const digest = completionCodeDigest(code.reveal());
  return { code, proof: { digest, expiresAt: now + COMPLETION_CODE_LIFETIME_MS } };
}
