import { isTokenActive, makeApiToken } from '../../account/api-token.ts';
import type { RedeemedAttempt } from '../attempt.ts';
import { Refusal } from '../../errors/refusal.ts';
import {
  deriveTokenSecret,
  hasSameBody,
  hasSameKey,
  isReplayOpen,
  type RedemptionSeal,
} from './idempotency.ts';
import type { Ms } from '../../values/time.ts';
import { allKeys } from '../../values/secret.ts';
import type { TokenWithUser } from '../../store/ports/store.port.ts';
import { report, type ReportServices } from '../../audit/report.flow.ts';
import type { ProvenTokenRequest, IssuedToken } from './token-request.flow.ts';
import type { Services } from '../services.flow.ts';

type Needs = ReportServices & Pick<Services, 'rules' | 'keys' | 'store'>;

/**
 * Gives the answer of a redemption again to a client that did not receive it: same Idempotency-Key,
 * same body, within the window (decision 0005). The token is derived again; it is stored nowhere.
 * @throws Refusal `attempt.already_redeemed` or `idempotency.mismatch`
 */
export async function replayRedemption(
  services: Needs,
  attempt: RedeemedAttempt,
  asked: ProvenTokenRequest,
  now: Ms,
): Promise<IssuedToken> {
  const { idempotencyKey } = asked;
  const seal = replayableSeal(attempt, now);
  if (idempotencyKey === null || seal === null) return refuseReplay(services, attempt, now);
  // Another instance may have redeemed it under another secret, while the secret is changed.
  const serverKey = allKeys(services.keys).find((known) =>
    hasSameKey(known, seal, asked, idempotencyKey),
  );
  if (serverKey === undefined) {
    await services.store.missReplay(asked.attemptId);
    return refuseReplay(services, attempt, now);
  }
  if (!hasSameBody(serverKey, seal, asked)) throw new Refusal('idempotency.mismatch');
  const secret = deriveTokenSecret(serverKey, asked, idempotencyKey, seal.salt);
  const issued = await findActiveToken(services, asked, now);
  return { ...issued, text: makeApiToken(services.rules.tokenMark, secret) };
}

/**
 * A second redemption without a valid key: the attempt token was stolen, or a client repeats
 * without an Idempotency-Key.
 */
async function refuseReplay(
  services: Needs,
  { record: { attemptId, client } }: RedeemedAttempt,
  at: Ms,
): Promise<never> {
  await report(services, { at, action: 'token.replayed', attemptId, client });
  throw new Refusal('attempt.already_redeemed');
}

function replayableSeal({ record, redeemedAt }: RedeemedAttempt, now: Ms): RedemptionSeal | null {
  const seal = record.redemption;
  return seal !== null && isReplayOpen(seal, redeemedAt, now) ? seal : null;
}

async function findActiveToken(
  { store }: Pick<Services, 'store'>,
  { attemptId }: ProvenTokenRequest,
  now: Ms,
): Promise<TokenWithUser> {
  const issued = await store.findTokenOfAttempt(attemptId);
  if (issued === null || !isTokenActive(issued.token, now)) {
    throw new Refusal('attempt.already_redeemed');
  }
  return issued;
}
