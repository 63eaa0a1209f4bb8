import { readFileSync } from 'node:fs';
import process from 'node:process';
import type { DriveContext } from '../drive/index.ts';
import { readInstance, type Environment } from '../../config/instance.ts';
import { openBrowser } from '../../platform/browser.ts';
import { systemClock, systemTimer } from '../../platform/runtime.ts';
import { listenForReturn } from '../../platform/browser-return.ts';
import { openidSecrets } from '../../platform/openid-secrets.ts';
import { writeWhole } from '../../platform/files/whole-file.ts';
import type { Terminal } from './terminal.ts';

/** What the commands that drive an instance are run with, in a process of their own. */
export function driveContext(
  environment: Environment,
  { ask, isInteractive }: Terminal,
  peopleFile: DriveContext['peopleFile'],
): DriveContext {
  let stop: AbortSignal | null = null;
  return {
    out: process.stdout,
    err: process.stderr,
    fetch: (address, init) => fetch(address, init),
    clock: systemClock,
    timer: systemTimer,
    // Only commands that ask for it take Ctrl-C; it ends all others as it does by itself.
    get stop() {
      return (stop ??= untilInterrupted());
    },
    environment,
    instance: (flags) => readInstance(flags, environment),
    ask,
    isInteractive,
    openBrowser: (address) => {
      // A program that runs this command has no person in front of it.
      if (process.stderr.isTTY) openBrowser(address);
    },
    listenForReturn,
    openidSecrets,
    readFile: (path) => readFileSync(path === '-' ? process.stdin.fd : path, 'utf8'),
    writeFile: writeWhole,
    peopleFile,
  };
}

/** A second Ctrl-C ends the process at once, as it does where nobody listens. */
function untilInterrupted(): AbortSignal {
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  return interrupted.signal;
}
