import type { AttemptId } from '../../values/ids.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import { Refusal } from '../../errors/refusal.ts';
import type { KeptToken } from '../provider-transaction.ts';
import type { Ms } from '../../values/time.ts';
import type { SignedPush } from '../../provider/identity-provider.port.ts';
import type { Services } from '../services.flow.ts';
import { applyResult, readPush, type KnownPush, type PushNeeds } from './receive-push.flow.ts';

type Needs = PushNeeds & Pick<Services, 'logFailure'>;

/**
 * Reads the kept results of pushes again, as if the provider had sent them again: oldest push
 * first, on any instance. One whose key still can't be known holds up no other, because the keys of
 * the others may be known by now. The provider is not asked for its keys more often by this, because
 * its key set limits that for all who look a key up.
 * @returns one round; a failure that repeats itself is logged once for each attempt
 */
export function keptDelivery(services: Needs): (now: Ms) => Promise<void> {
  let failing = new Set<AttemptId>();
  return async (now) => {
    const failed = new Set<AttemptId>();
    for (const attemptId of await services.store.keptPushes(now)) {
      await services.attemptLock
        .run(attemptId, () => deliverFor(services, attemptId, now))
        .catch((error: unknown) => {
          if (!failing.has(attemptId)) {
            services.logFailure(error, 'a kept result of a push could not be read');
          }
          failed.add(attemptId);
        });
    }
    failing = failed;
  };
}

/** Keeps only the tokens whose key still can't be known. */
async function deliverFor(services: Needs, attemptId: AttemptId, at: Ms): Promise<void> {
  const { store } = services;
  const known = await store.findTransaction(attemptId);
  if (known?.transaction.kind !== 'push') return;
  const { attempt, transaction } = known;
  const left: KeptToken[] = [];
  for (const kept of transaction.keptTokens) {
    const push = await readKept(services, { attempt, transaction }, kept, at);
    if (push === null) continue;
    if (push.status !== 'unverified') {
      // Whatever it says, it ends the attempt, and all that is kept is erased with that.
      await applyResult(services, { attempt, transaction }, push, at);
      return;
    }
    left.push(kept);
  }
  const isChanged = left.length < transaction.keptTokens.length;
  if (isChanged) await store.keepTokens({ attemptId, at, tokens: left });
}

/** What a token itself can be refused with. After any other error it stays. */
const VERDICTS: ReadonlySet<ErrorCode> = new Set([
  'push.unverified',
  'provider.mismatch',
  'provider.bad_response',
  'assurance.insufficient',
]);

/** Null for a token that was refused, which `readPush` has reported as it does one that just came. */
async function readKept(
  services: Needs,
  known: KnownPush,
  { token, cameAt }: KeptToken,
  now: Ms,
): Promise<SignedPush | null> {
  const { attemptId: requestId } = known.attempt;
  const message = { token, transId: known.transaction.transactionId, requestId };
  try {
    return await readPush(services, message, known, now, cameAt);
  } catch (error) {
    if (error instanceof Refusal && VERDICTS.has(error.code)) return null;
    throw error;
  }
}
