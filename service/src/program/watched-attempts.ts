import type { WatchedAttempts } from '@miftah/simulator/app';
import { DEFAULT_SCOPE } from '@miftah/simulator/engine';
import { parseAttemptId } from '../domain/attempt-id.ts';
import { attemptAt } from '../domain/attempt.ts';
import { collectResult, type CollectServices } from '../flow/outcome/collect-result.ts';
import type { Clock } from '../ports/runtime.ts';

/** The attempts of the service, for tests that wait for their ends over the control API. */
export function watchedAttempts(services: CollectServices, clock: Clock): WatchedAttempts {
  return {
    async stateOf(id, scope) {
      const attemptId = scope === DEFAULT_SCOPE ? parseAttemptId(id) : null;
      const found = attemptId === null ? null : await services.store.findAttempt(attemptId);
      if (found === null) return null;
      const now = clock.now();
      const { attempt } = await collectResult(services, found, now);
      return attemptAt(attempt, now).state;
    },
  };
}
