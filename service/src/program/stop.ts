import type { FastifyInstance } from 'fastify';
import { SECOND_MS, type Ms } from '../domain/time.ts';
import type { Timer } from '../ports/runtime.ts';

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

/**
 * Tells load balancers and clients of the stop, and gives them the time to notice it.
 * @param drainMs 0 for a stop that nobody has to be told of
 */
export async function announceStop(
  { server }: FastifyInstance,
  drain: { isOn: boolean },
  { drainMs, timer }: { readonly drainMs: Ms; readonly timer: Timer },
): Promise<void> {
  drain.isOn = true;
  // Clients that never finish their request must not keep the store from being closed properly.
  const cutOff = () => server.closeAllConnections();
  const { requestsMs } = stopLimits(drainMs);
  AbortSignal.timeout(requestsMs).addEventListener('abort', cutOff, { once: true });
  if (drainMs > 0) await new Promise<void>((resolve) => void timer.after(drainMs, resolve));
}
