import type { Config } from '../config.ts';
import type { Timer } from '../ports/runtime.ts';
import { chooseSockets, type InheritedSockets } from './inherited-sockets.ts';
import { requireClients } from './require-clients.ts';
import { tryPorts } from './try-ports.ts';

/**
 * All that can refuse a start without the store: it comes before anything is opened or written.
 * What only a person can correct comes first, because a supervisor does not start that again.
 * @param descriptors of sockets that a supervisor hands over
 * @throws ConfigError, or Error, that says what to do
 */
export async function prepareStart(
  settings: Config,
  descriptors: readonly number[],
  timer: Timer,
): Promise<InheritedSockets> {
  const sockets = await chooseSockets(descriptors, settings);
  requireClients(settings);
  await tryPorts(settings, sockets, timer);
  return sockets;
}
