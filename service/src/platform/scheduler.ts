import type { Scheduler } from './runtime.port.ts';

/** @param onError gets the error of each failed run; later runs take place all the same */
export function createScheduler(onError: (error: unknown) => void): Scheduler {
  return {
    every(intervalMs, work) {
      let running: Promise<void> | null = null;
      const run = async () => {
        try {
          await work();
        } catch (error) {
          onError(error);
        } finally {
          running = null;
        }
      };
      // What was left out is not made up for: a stop would have to wait for all of it.
      const timer = setInterval(() => {
        running ??= run();
      }, intervalMs);
      // Background work must not keep a process running that has nothing else to do.
      timer.unref();
      return {
        async runNow() {
          await running;
          await (running ??= run());
        },
        async stop() {
          clearInterval(timer);
          await running;
        },
      };
    },
  };
}
