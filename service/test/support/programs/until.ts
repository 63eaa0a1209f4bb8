import { setTimeout as wait } from 'node:timers/promises';

const POLL_MS = 10;

/**
 * Waits for an effect in another process that sends no event. A test that waits in vain ends by its
 * time-out.
 */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await wait(POLL_MS);
}
