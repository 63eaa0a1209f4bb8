import { describe } from 'vitest';
import { notifierTests } from './coordination-notifier.ts';
import { rateLimiterTests } from './coordination-limits.ts';
import { attemptLockTests } from './coordination-lock.ts';
import { noteTests } from './coordination-notes.ts';
import { statusPollTests } from './coordination-polls.ts';
import type { OpenCoordination } from './coordination-under-test.ts';

/** Tests shared state against the numbered promises of platform/coordination/coordination.port.ts. */
export function coordinationConformance(name: string, open: OpenCoordination): void {
  describe(`${name} keeps the promises of the coordination ports`, () => {
    describe.each(['requestLimits', 'unknownIds'] as const)('%s', (limiter) =>
      rateLimiterTests(open, limiter),
    );
    describe('attemptLock', () => attemptLockTests(open));
    describe('statusPolls', () => statusPollTests(open));
    describe('notes', () => noteTests(open));
    describe('notifier', () => notifierTests(open));
  });
}
