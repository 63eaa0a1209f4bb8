// For programs that npm starts: `node --import ./scripts/with-npm.mjs PROGRAM`. npm runs a script
// through a shell and hands SIGTERM to that shell only. Where the shell has not made way for the
// program (dash does not, bash does), it ends alone, and the program would go on without anybody
// who knows of it. So the program looks whether its parent is still there, and otherwise does what
// the signal would have had it do. `exec` in the script would be shorter, and unknown on Windows.

import process from 'node:process';
import { isMainThread } from 'node:worker_threads';

const LOOK_AGAIN_MS = 250;

// Without npm, who started the program may well go before it: a terminal, a script.
if (isMainThread && process.env['npm_lifecycle_event'] !== undefined) {
  const parent = process.ppid;
  const watching = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watching);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_AGAIN_MS);
  watching.unref();
}
