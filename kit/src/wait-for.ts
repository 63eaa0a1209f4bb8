import type { ControlApi } from './control-api.ts';
import { attemptIdOf } from './which.ts';
import { has } from './wire.ts';

const STATES = ['authenticated', 'rejected', 'expired', 'failed'] as const;
export type WaitedState = (typeof STATES)[number];

const DEFAULT_MS = 5000;
const SECOND_MS = 1000;
/** The longest wait of one request. */
const MOST_SECONDS = 30;

interface Waited {
  readonly reached: boolean;
  readonly status: string | null;
}

/** @throws Error with the state that the attempt is in; TypeError for what can't be waited for */
export async function waitForState(
  control: ControlApi,
  attempt: string | { readonly id: string },
  state: WaitedState,
  { timeout = DEFAULT_MS }: { readonly timeout?: number | undefined } = {},
): Promise<void> {
  const id = attemptIdOf(attempt);
  if (!STATES.includes(state)) throw new TypeError(`waitFor waits for ${STATES.join(', ')}.`);
  if (!(timeout >= 0 && timeout < Infinity)) {
    throw new TypeError('timeout is a number of milliseconds.');
  }
  for (let left = Math.ceil(timeout / SECOND_MS); ; left -= MOST_SECONDS) {
    const seconds = Math.min(left, MOST_SECONDS);
    const query = { until: state, attempt_id: id, timeout: String(seconds) };
    const seen = await control.get('/wait', query);
    if (!has<Waited>(seen, 'reached', 'status')) {
      throw new Error('GET /simulator/wait has answered without a state.');
    }
    if (seen.reached) return;
    const isOver = seen.status !== 'pending' || left <= MOST_SECONDS;
    if (isOver) throw new Error(`The attempt ${id} is ${seen.status}, and not ${state}.`);
  }
}
