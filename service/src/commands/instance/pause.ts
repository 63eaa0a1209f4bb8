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

/** Null when it takes longer than the limit. @throws DriveFailure at Ctrl-C */
export async function within<Value>(
  { context: { timer, stop } }: Session,
  work: Promise<Value>,
  limitMs: number,
): Promise<Value | null> {
  const { promise: end, resolve, reject } = Promise.withResolvers<null>();
  const interrupt = () => reject(interrupted());
  const cancel = timer.after(limitMs, () => resolve(null));
  stop.addEventListener('abort', interrupt, { once: true });
  if (stop.aborted) interrupt();
  try {
    return await Promise.race([work, end]);
  } finally {
    cancel();
    stop.removeEventListener('abort', interrupt);
  }
}
