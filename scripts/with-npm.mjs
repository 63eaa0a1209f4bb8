// For programs that npm starts: `node --import ./scripts/with-npm.mjs PROGRAM`. npm runs a script
// through a shell and sends SIGTERM only to that shell. Some shells (dash, but not bash) run the
// program as a child, so the shell ends and the program continues without a parent. This module
// therefore checks whether the parent still exists, and sends the program SIGTERM if it does not.
// `exec` in the script would be shorter, but Windows does not have it.

import process from 'node:process';
import { isMainThread } from 'node:worker_threads';

const LOOK_AGAIN_MS = 250;

// Only under npm: a terminal or a script that starts the program may end before it.
if (isMainThread && process.env['npm_lifecycle_event'] !== undefined) {
  const parent = process.ppid;
  const watching = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watching);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_AGAIN_MS);
  watching.unref();
}
