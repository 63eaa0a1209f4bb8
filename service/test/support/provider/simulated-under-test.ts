import { blocksInMemory, BUILT_IN_PEOPLE, defaultSettings, Engine } from '@miftah/simulator/engine';
import { systemRandom } from '@miftah/simulator/platform';
import { Refusal } from '../../../src/domain/errors/refusal.ts';
import { createSimulatedProvider } from '../../../src/provider/simulated-provider.ts';
import type { ProviderUnderTest } from '../../conformance/provider-under-test.ts';
import { createFakeClock } from '../service/fake-clock.ts';

/** The simulator's engine in this process, which gives identities by `collect`. */
export async function openSimulated(): Promise<ProviderUnderTest> {
  const clock = createFakeClock();
  const provider = createSimulatedProvider(
    new Engine({
      settings: defaultSettings('http://localhost'),
      people: BUILT_IN_PEOPLE,
      clock,
      random: systemRandom,
      references: blocksInMemory(),
    }),
  );
  return {
    provider: {
      isRemote: false,
      async openRedirect(attempt) {
        await provider.openRedirect(attempt);
        return { bindingCode: null, expiresAt: null, transaction: null };
      },
      async requestPush(attempt) {
        const bindingCode = await provider.requestPush(attempt);
        return { bindingCode, expiresAt: null, transaction: null };
      },
      collect: (attempt, _transaction, now) => provider.collect(attempt, now),
    },
    now: () => clock.now(),
    async decide({ attempt }, decision, personId) {
      provider.decide(attempt, decision, personId ?? null, clock.now());
    },
    async finish({ attempt }) {
      const news = await provider.collect(attempt, clock.now());
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
