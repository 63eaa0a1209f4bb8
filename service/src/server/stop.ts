import type { FastifyInstance } from 'fastify';
import { SECOND_MS, type Ms } from '../values/time.ts';
import { systemClock, systemTimer } from '../platform/runtime.ts';

/** With the default wait, a stop ends within the ten seconds that container hosts give. */
const REQUESTS_MS = 7 * SECOND_MS;
/** A call to the provider ends within this time. */
const AFTER_DRAIN_MS = 5 * SECOND_MS;
const CLOSE_MS = 2.5 * SECOND_MS;

/** How long a stop may take, counted from the signal. */
interface StopLimits {
  /** Then the connections of requests that are still unfinished are closed. */
  readonly requestsMs: Ms;
  /** Then the process ends, whatever is unfinished. */
  readonly processMs: Ms;
}

export function stopLimits(drainMs: Ms): StopLimits {
  const requestsMs = Math.max(REQUESTS_MS, drainMs + AFTER_DRAIN_MS);
  return { requestsMs, processMs: requestsMs + CLOSE_MS };
}

/** How a service is told to stop. */
export interface Stop {
  /** Whether new connections are accepted for `drainMs` of the settings, so that load balancers notice. */
  readonly drains?: boolean;
  /** Undefined where no signal has asked for it. */
  readonly signal?: NodeJS.Signals;
}

/** What a stop was, for the log. */
interface StopReport {
  readonly signal: NodeJS.Signals | undefined;
  /** How long new connections were still accepted. */
  readonly drainMs: Ms;
  /** Connections that were closed with an unfinished request on them. */
  readonly cutOff: number;
  readonly ms: Ms;
}

/**
 * Tells load balancers and clients of the stop, and gives them the time to notice it.
 * @param how with the `drainMs` of the settings
 * @returns to be called when the server is closed: nothing is left to be cut off. It gives what is
 * to be logged at the end.
 */
export async function announceStop(
  { server }: FastifyInstance,
  drain: { isOn: boolean },
  { drains = false, signal, ...settings }: Stop & { readonly drainMs: Ms },
): Promise<() => StopReport> {
  const drainMs = drains ? settings.drainMs : 0;
  const begun = systemClock.now();
  let cutOff = 0;
  drain.isOn = true;
  // Clients that never finish their request must not keep the store from being closed properly.
  const cut = () => {
    server.getConnections((_, count) => (cutOff = count));
    server.closeAllConnections();
  };
  const { requestsMs } = stopLimits(drainMs);
  const spare = systemTimer.after(requestsMs, cut);
  if (drainMs > 0) await new Promise<void>((resolve) => void systemTimer.after(drainMs, resolve));
  return () => {
    spare();
    return { signal, drainMs, cutOff, ms: Math.round(systemClock.now() - begun) };
  };
}
