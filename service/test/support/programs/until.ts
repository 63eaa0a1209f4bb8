import { setTimeout as wait } from 'node:timers/promises';

const POLL_MS = 10;

/**
 * Waits for an effect in another process that sends no event. A test that waits in vain ends by its
 * time-out.
 * @param pauseMs longer where a question starts a program or makes another one work: asked without
 *   a rest, it would take the processor time that the effect itself needs
 */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  pauseMs = POLL_MS,
): Promise<void> {
  while (!(await isSo())) await wait(pauseMs);
}
