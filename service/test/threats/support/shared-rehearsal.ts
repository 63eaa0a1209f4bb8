import { afterAll, beforeAll } from 'vitest';
import { rehearse, type Rehearsal, type RehearsalOptions } from '../../live/support/rehearsal.ts';

/** One service and one simulator for all the tests of a file. */
export function shareRehearsal(options: RehearsalOptions = {}): () => Rehearsal {
  let shared: Rehearsal | null = null;
  beforeAll(async () => void (shared = await rehearse(options)));
  afterAll(async () => shared?.[Symbol.asyncDispose]());
  return () => {
    if (shared === null) throw new Error('the service opens before the first test, not earlier');
    return shared;
  };
}
