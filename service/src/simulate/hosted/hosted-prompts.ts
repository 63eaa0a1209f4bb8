import type { HostedPrompts } from '@miftah/simulator/app';
import type { DecisionRequest, DecisionResult, Engine, Prompt } from '@miftah/simulator/engine';
import { parseAttemptId } from '../../values/ids.ts';
import { attemptAt, type AttemptRecord } from '../../attempt/attempt.ts';
import { Refusal } from '../../errors/refusal.ts';
import { scopeOf } from '../../attempt/scenario.ts';
import type { Ms } from '../../values/time.ts';
import {
  collectResult,
  storeResult,
  type CollectServices,
} from '../../attempt/read-attempt.flow.ts';
import type { SimulatedProvider } from '../simulated-provider.ts';

type Wanted = Parameters<HostedPrompts['waiting']>[0];

/**
 * The most attempts of a scope that are read, the newest: for a list, and for a reset more than an
 * instance can start while the first of them still waits.
 */
const MOST = { newest: 1000, all: 1_000_000 } as const;

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

  async function pending({ scope, requestId }: Wanted, most: number, now: Ms) {
    if (requestId === null) return store.pendingAttempts(now, most, scope);
    const found = await findIn(store, requestId, scope);
    return found !== null && isPending(found.attempt, now) ? [found.attempt] : [];
  }

  return {
    async find(requestId, scope, now) {
      const found = await findIn(store, requestId, scope);
      return found === null ? null : provider.promptOf(found.attempt, now);
    },

    async waiting(wanted, now, reach): Promise<readonly Prompt[]> {
      const attempts = await pending(wanted, MOST[reach], now);
      const prompts = await Promise.all(attempts.map((one) => provider.promptOf(one, now)));
      return prompts.filter((one) => engine.isListed(one, now));
    },

    async decide(
      { promptId, scope, ...choice }: DecisionRequest,
      now: Ms,
    ): Promise<DecisionResult> {
      const known = await findIn(store, promptId, scope);
      if (known === null) return { ok: false, reason: 'unknown_prompt' };
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

/** Null for an unknown id, and for one of another scope. */
async function findIn(store: CollectServices['store'], id: string, scope?: string) {
  const attemptId = parseAttemptId(id);
  const found = attemptId === null ? null : await store.findAttempt(attemptId);
  const isForeign = found !== null && scope !== undefined && scope !== scopeOf(found.attempt);
  return isForeign ? null : found;
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
