import { SECOND_MS, type Ms } from '../../values/time.ts';
import type { Timer } from '../../platform/runtime.port.ts';
import type { AttemptStatus } from '../read-attempt.flow.ts';
import type { StatusWaiter } from './status-waiter.flow.ts';

/**
 * The pauses between two reads without a sign that the status has changed: another instance may have
 * changed it, the provider may have to be asked, or it expires. First short ones, because most
 * people decide within half a minute.
 */
const SOON_MS = SECOND_MS;
const SOON_READS = 30;
const LATER_MS = 3 * SECOND_MS;

export interface Waiting {
  readonly waiter: StatusWaiter;
  readonly timer: Timer;
  readonly first: AttemptStatus;
  /** Reads the status again. @throws Refusal */
  readonly read: () => Promise<AttemptStatus>;
  readonly limitMs: Ms;
}

export function isPending({ attempt }: AttemptStatus): boolean {
  return attempt.state === 'pending';
}

/**
 * Resolves with the latest status when the attempt is no longer pending, after `limitMs`, or when
 * the waiter was ended.
 * @throws Refusal of `read`
 */
export async function waitForEnd({ waiter, timer, first, read, limitMs }: Waiting) {
  let status = first;
  // An object, because the compiler believes that a variable of its own stays as it is.
  const limit = { isReached: false };
  const cancel = timer.after(limitMs, () => {
    limit.isReached = true;
    waiter.wake();
  });
  try {
    for (let reads = 0; isPending(status) && !limit.isReached && !waiter.isOver; reads += 1) {
      await waiter.next(reads < SOON_READS ? SOON_MS : LATER_MS);
      if (!waiter.isOver) status = await read();
    }
    return status;
  } finally {
    cancel();
  }
}
