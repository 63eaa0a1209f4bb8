import type { Scheduler } from '../ports/runtime.ts';

/** @param onError gets the error of each failed run; later runs take place all the same */
export function createScheduler(onError: (error: unknown) => void): Scheduler {
  return {
    every(intervalMs, work) {
      let running: Promise<void> = Promise.resolve();
      const timer = setInterval(() => {
        running = running.then(work).catch(onError);
      }, intervalMs);
      // Background work must not keep a process running that has nothing else to do.
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
