import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Whoever has waited for the start is answered by then. */
const AFTER_START_MS = 500;

/**
 * Gives memory that only the start needed back to the system: about 25 MB. V8 keeps it by itself:
 * its young generation grows while the modules are loaded, and does not shrink while the process is
 * idle. This happens once, because it stops the thread for about 50 ms.
 */
export function releaseMemoryAfterStart(): void {
  setTimeout(release, AFTER_START_MS).unref();
}

/** V8's function is a global of every context that is made while the flag is set. */
function release(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext("gc({ type: 'major', flavor: 'last-resort' })");
  // Compiled code in the cache is bound to the set of flags that it was compiled with.
  setFlagsFromString('--no-expose-gc');
}
