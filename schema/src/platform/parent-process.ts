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

/** The command alone, as npm quotes it or not: in `nohup miftah start &` the shell ends first. */
const MIFTAH_ALONE = /^['"]?miftah(?:-simulator)?['"]?(?:\s[^&;|]*)?$/;

/**
 * Does so where npm has started this program, by `npx miftah`, `npx miftah-simulator` or a script
 * that is only such a command. npm passes SIGTERM to a shell, and some shells (dash, but not bash) end without passing
 * it on. A supervisor, a container or a terminal that starts the program may end before it.
 */
export function endWithNpm(script: string | undefined): void {
  if (script !== undefined && MIFTAH_ALONE.test(script)) endWithParent();
}
