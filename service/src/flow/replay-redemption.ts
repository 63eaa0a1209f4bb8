import { isTokenActive, makeApiToken } from '../domain/api-token.ts';
import type { RedeemedAttempt } from '../domain/attempt.ts';
import { Refusal } from '../domain/errors/refusal.ts';
import {
  deriveTokenSecret,
  hasSameBody,
  hasSameKey,
  isReplayOpen,
  type RedemptionSeal,
} from '../domain/idempotency.ts';
import type { Ms } from '../domain/time.ts';
import type { TokenWithUser } from '../ports/store.ts';
import { report } from './report.ts';
import type { Asked, IssuedToken } from './token-request.ts';
import type { Tools } from './tools.ts';

/**
 * The answer of a redemption once more, for a client that did not receive it: same Idempotency-Key, same
 * body, within the window (decision 0004). The token is derived again, never read from anywhere.
 * @throws Refusal `attempt.already_redeemed` or `idempotency.mismatch`
 */
export async function replayRedemption(
  tools: Tools,
  attempt: RedeemedAttempt,
  asked: Asked,
  now: Ms,
): Promise<IssuedToken> {
  const { idempotencyKey } = asked;
  const seal = replayableSeal(attempt, now);
  if (idempotencyKey === null || seal === null) return refuseReplay(tools, attempt, now);
  if (!hasSameKey(tools.serverKey, seal, asked, idempotencyKey)) {
    await tools.store.missReplay(asked.attemptId);
    return refuseReplay(tools, attempt, now);
  }
  if (!hasSameBody(tools.serverKey, seal, asked)) throw new Refusal('idempotency.mismatch');
  const secret = deriveTokenSecret(tools.serverKey, asked, idempotencyKey, seal.salt);
  const issued = await findActiveToken(tools, asked, now);
  return { ...issued, text: makeApiToken(tools.rules.tokenMark, secret) };
}

/** A second exchange: theft of the attempt token, or a client that repeats without an Idempotency-Key. */
async function refuseReplay(
  tools: Tools,
  { record: { attemptId, client } }: RedeemedAttempt,
  at: Ms,
): Promise<never> {
  await report(tools, { at, action: 'token.replayed', attemptId, client });
  throw new Refusal('attempt.already_redeemed');
}

function replayableSeal({ record, redeemedAt }: RedeemedAttempt, now: Ms): RedemptionSeal | null {
  const seal = record.redemption;
  return seal !== null && isReplayOpen(seal, redeemedAt, now) ? seal : null;
}

async function findActiveToken(
  { store }: Tools,
  { attemptId }: Asked,
  now: Ms,
): Promise<TokenWithUser> {
  const issued = await store.findTokenOfAttempt(attemptId);
  if (issued === null || !isTokenActive(issued.token, now)) {
    throw new Refusal('attempt.already_redeemed');
  }
  return issued;
}
