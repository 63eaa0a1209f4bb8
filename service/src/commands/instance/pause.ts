import { interrupted } from './failure.ts';
import type { Session } from './session.ts';

/** @throws DriveFailure at Ctrl-C */
export function pause({ context: { timer, stop } }: Session, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    if (stop.aborted) return reject(interrupted());
    const end = () => {
      cancel();
      reject(interrupted());
    };
    const cancel = timer.after(ms, () => {
      stop.removeEventListener('abort', end);
      resolve();
    });
    stop.addEventListener('abort', end, { once: true });
  });
}
