import { expect } from 'vitest';
import type { GroupOptions } from '../../../src/server/request-groups.ts';

/** For a listener of which only the connections are tested. */
export const PLAIN_GROUPS: GroupOptions = {
  atEndOfTurn: (work) => void setImmediate(work),
  onThrow: (error) => expect.fail(String(error)),
  now: () => 0,
  urgencyOf: () => 'usual',
  onLate: () => expect.fail('no request is late'),
};
