import type { HostedPrompts } from '@miftah/simulator/app';
import type { DecisionRequest, DecisionResult, Engine, Prompt } from '@miftah/simulator/engine';
import { parseAttemptId } from '../domain/attempt-id.ts';
import { attemptAt, type AttemptRecord } from '../domain/attempt.ts';
import { Refusal } from '../domain/errors/refusal.ts';
import type { Ms } from '../domain/time.ts';
import {
  collectResult,
  storeResult,
  type CollectServices,
} from '../flow/outcome/collect-result.ts';
import type { SimulatedProvider } from '../provider/simulated-provider.ts';

/** The most attempts whose prompts are listed: the newest. */
const MOST_LISTED = 1000;

/**
 * The pending attempts of the service as prompts of the simulator. They are read from the store, so
 * every instance has all of them, and the instance that gets a decision writes its result.
 */
export function hostedPrompts(
  services: CollectServices,
  provider: SimulatedProvider,
  engine: Engine,
): HostedPrompts {
  const { store } = services;

  async function find(id: string) {
    const attemptId = parseAttemptId(id);
    return attemptId === null ? null : store.findAttempt(attemptId);
  }

  async function pending(requestId: string | null, now: Ms): Promise<readonly AttemptRecord[]> {
    if (requestId === null) return store.pendingAttempts(now, MOST_LISTED);
    const found = await find(requestId);
    return found !== null && isPending(found.attempt, now) ? [found.attempt] : [];
  }

  return {
    async waiting({ scope, requestId }, now): Promise<readonly Prompt[]> {
      const attempts = await pending(requestId, now);
      const prompts = await Promise.all(attempts.map((one) => provider.promptOf(one, now)));
      return prompts.filter((one) => one.scope === scope && engine.isListed(one, now));
    },

    async decide(
      { promptId, scope, ...choice }: DecisionRequest,
      now: Ms,
    ): Promise<DecisionResult> {
      const known = await find(promptId);
      const prompt = known === null ? null : await provider.promptOf(known.attempt, now);
      if (known === null || prompt?.scope !== scope) return { ok: false, reason: 'unknown_prompt' };
      const current = await collectResult(services, known, now);
      if (!isPending(current.attempt, now)) return { ok: false, reason: 'ended' };
      const sent = await provider.decidePrompt(current.attempt, choice, now).catch(asUnavailable);
      if (sent === null) return { ok: false, reason: 'unavailable' };
      const { decided, news } = sent;
      if (!decided.ok) return decided;
      const stored = await storeResult(services, current, news, { at: now, completion: null });
      const isOther = news.result !== 'waiting' && !isResultOf(news.result, stored.attempt, now);
      return isOther ? { ok: false, reason: 'ended' } : decided;
    },
  };
}

/** Null for an exchange that a fault has refused, and that can be tried again. @throws the others */
function asUnavailable(error: unknown): null {
  if (error instanceof Refusal && error.code === 'provider.unavailable') return null;
  throw error;
}

function isPending(record: AttemptRecord, now: Ms): boolean {
  return attemptAt(record, now).state === 'pending';
}

/** Whether the attempt has ended in this way; a decision at the same moment may have been first. */
function isResultOf(
  result: 'approved' | 'rejected' | 'failed',
  record: AttemptRecord,
  now: Ms,
): boolean {
  const { state } = attemptAt(record, now);
  return result === 'approved'
    ? state === 'authenticated' || state === 'redeemed'
    : state === result;
}
