import process from 'node:process';

const LOOK_AGAIN_MS = 250;

/**
 * Sends this process SIGTERM when the program that has started it is gone, so that a test run that
 * was interrupted leaves no service behind.
 */
export function endWithParent(): void {
  const parent = process.ppid;
  const watching = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watching);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_AGAIN_MS);
  watching.unref();
}
