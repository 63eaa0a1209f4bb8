import process from 'node:process';
import { watchTerminal } from './terminal.ts';

const STOPS = ['SIGTERM', 'SIGINT'] as const;

/**
 * By itself Node answers this signal with a debugger on a port of the machine, through which every
 * local user could run code as the service. It is the one that other servers reopen their logs at.
 */
const DEBUGGER = 'SIGUSR1';

/** The signals that come while the service starts. */
export interface StartSignals {
  /**
   * Listens no more: the service does from now on.
   * @returns whether a reload was asked for meanwhile
   */
  handOver: () => boolean;
}

/**
 * Listens to signals until the service can stop in order. A stop ends the process at once with exit
 * code 0, because nothing was answered yet; a store that is being made or migrated goes on at the
 * next start. Without this, the first process of a container would ignore a stop, and a reload would
 * end the process.
 */
export function listenWhileStarting(end: () => void = () => process.exit(0)): StartSignals {
  let isReloadWanted = false;
  const isTerminalClosed = watchTerminal();
  const hangUp = () => {
    if (isTerminalClosed()) end();
    else isReloadWanted = true;
  };
  for (const signal of STOPS) process.on(signal, end);
  process.on('SIGHUP', hangUp);
  process.on(DEBUGGER, doNothing);
  return {
    handOver() {
      for (const signal of STOPS) process.off(signal, end);
      process.off('SIGHUP', hangUp);
      return isReloadWanted;
    },
  };
}

/** A listener takes the place of Node's own, and stays as long as the process. */
function doNothing(): void {}
