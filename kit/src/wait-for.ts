import type { ControlApi } from './control-api.ts';
import { oneOf, optionsOf, type Rule } from './options.ts';
import { ATTEMPT, attemptIdOf, type AttemptOrId } from './which.ts';
import { has } from './wire.ts';

const STATES = ['authenticated', 'rejected', 'expired', 'failed'] as const;
export type WaitedState = (typeof STATES)[number];

/** Less than the five seconds that Vitest gives a test, whose error would say nothing of the attempt. */
const DEFAULT_MS = 4000;
const SECOND_MS = 1000;
/** The longest wait of one request. */
const MOST_SECONDS = 30;

interface Waited {
  readonly reached: boolean;
  readonly status: string | null;
}

export interface WaitOptions {
  /** Milliseconds, by default 4000. They are rounded up to whole seconds. */
  readonly timeout?: number | undefined;
}

export const TIMEOUT: Rule<number> = {
  says: 'is a number of milliseconds',
  holds: (timeout): timeout is number =>
    typeof timeout === 'number' && timeout >= 0 && timeout < Infinity,
};

export const WAIT_RULES: readonly [Rule<AttemptOrId>, Rule<WaitedState>, Rule<WaitOptions>] = [
  ATTEMPT,
  { name: 'state', ...oneOf(...STATES) },
  optionsOf<WaitOptions>({ timeout: TIMEOUT }),
];

/**
 * @throws Error with the state that the attempt is in, and what waits for an answer; TypeError for an
 *   id that is none
 */
export async function waitForState(
  control: ControlApi,
  attempt: AttemptOrId,
  state: WaitedState,
  { timeout = DEFAULT_MS }: WaitOptions = {},
): Promise<void> {
  const id = attemptIdOf(attempt);
  const all = Math.ceil(timeout / SECOND_MS);
  for (let left = all; ; left -= MOST_SECONDS) {
    const seconds = Math.min(left, MOST_SECONDS);
    const query = { until: state, attempt_id: id, timeout: String(seconds) };
    const seen = await control.call('waitUntil', { query });
    if (!has<Waited>(seen, 'reached', 'status')) {
      throw new Error('GET /simulator/wait has answered without a state.');
    }
    if (seen.reached) return;
    const is = `The attempt ${id} is ${seen.status}, and not ${state}`;
    if (seen.status !== 'pending') throw new Error(`${is}.`);
    if (left <= MOST_SECONDS) {
      throw new Error(`${is}, after ${all * SECOND_MS} ms. ${await whatWaits(control, id)}`);
    }
  }
}

/** Most often the test has not answered for the person. */
async function whatWaits(control: ControlApi, id: string): Promise<string> {
  const rows = await control.call('listPrompts', { query: { request_id: id } }).catch(() => null);
  const [prompt] = Array.isArray(rows) ? (rows as readonly unknown[]) : [];
  if (!has<{ kind: string }>(prompt, 'kind')) {
    return `No prompt of it waits on the phone. One by browser waits for browser.approve('${id}').`;
  }
  const by = prompt.kind === 'push' ? 'phone' : 'browser';
  return `Its prompt waits for an answer: ${by}.approve('${id}').`;
}
