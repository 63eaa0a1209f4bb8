import type { Ms } from '../engine/ports.ts';

export interface Timer {
  /** Resolves after the time, or as soon as the signal is aborted. It never rejects. */
  sleep(ms: Ms, signal: AbortSignal): Promise<void>;
  /** Milliseconds since any moment; nobody can set them back. */
  elapsed(): Ms;
}
