import type { Scheduler } from '../ports/runtime.ts';

/** `onError` is told of each failed run; the next one comes all the same. */
export function createScheduler(onError: (error: unknown) => void): Scheduler {
  return {
    every(intervalMs, work) {
      let running: Promise<void> = Promise.resolve();
      const timer = setInterval(() => {
        running = running.then(work).catch(onError);
      }, intervalMs);
      // Background work must not keep a process alive that has nothing else to do.
      timer.unref();
      return {
        async stop() {
          clearInterval(timer);
          await running;
        },
      };
    },
  };
}
