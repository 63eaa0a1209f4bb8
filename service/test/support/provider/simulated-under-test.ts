import { blocksInMemory, BUILT_IN_PEOPLE, defaultSettings, Engine } from '@miftah/simulator/engine';
import { systemRandom } from '@miftah/simulator/platform';
import type { AttemptId } from '../../../src/values/ids.ts';
import { Refusal } from '../../../src/errors/refusal.ts';
import type { Ms } from '../../../src/values/time.ts';
import { createMemoryCoordination } from '../../../src/platform/coordination/memory-coordination.ts';
import { systemTimer } from '../../../src/platform/runtime.ts';
import type {
  AttemptReference,
  LoginResult,
} from '../../../src/provider/identity-provider.port.ts';
import { createSimulatedProvider } from '../../../src/simulate/simulated-provider.ts';
import type { ProviderUnderTest } from '../../conformance/provider-under-test.ts';
import { createFakeClock } from '../service/fake-clock.ts';

/** The simulator's engine in this process, which gives identities by `collect`. */
export async function openSimulated(): Promise<ProviderUnderTest> {
  const clock = createFakeClock();
  const engine = new Engine({
    settings: defaultSettings('http://localhost'),
    people: BUILT_IN_PEOPLE,
    clock,
    random: systemRandom,
    references: blocksInMemory(),
  });
  const provider = createSimulatedProvider(engine, createMemoryCoordination().notes, systemTimer);
  /** What a service writes into its store: an attempt that has ended is not asked about again. */
  const stored = new Map<AttemptId, LoginResult>();
  const newsOf = async (attempt: AttemptReference, now: Ms) =>
    stored.get(attempt.attemptId) ?? provider.collect(attempt, now);
  return {
    provider: {
      isRemote: false,
      async openRedirect(attempt) {
        await provider.openRedirect(attempt);
        return { bindingCode: null, expiresAt: null, transaction: null };
      },
      async requestPush(attempt) {
        const { bindingCode } = await provider.requestPush(attempt);
        return { bindingCode, expiresAt: null, transaction: null };
      },
      collect: (attempt, _transaction, now) => newsOf(attempt, now),
    },
    now: () => clock.now(),
    async decide({ attempt }, decision, personId) {
      const news = await provider.decide(attempt, decision, personId ?? null, clock.now());
      if (news.result !== 'waiting') stored.set(attempt.attemptId, news);
    },
    async finish({ attempt }) {
      const news = await newsOf(attempt, clock.now());
      if (news.result === 'approved') return news.person;
      const isEnded = news.result === 'rejected' || news.result === 'failed';
      throw new Refusal(isEnded ? news.reason : 'attempt.pending');
    },
    secrets: [],
    async close() {
      // There is nothing to close.
    },
  };
}
