import { writeClientsFile, type ClientEntry } from '../../../../scripts/rehearsal.ts';
import { until } from '../programs/until.ts';
import type { Rehearsal } from './rehearsal.ts';

/** Reloads the clients as an operator does: replaces the file, then sends the signal. */
export async function reloadClients(
  { plan, service }: Rehearsal,
  clients: readonly ClientEntry[],
): Promise<void> {
  const before = service.stdout().split('read anew').length;
  writeClientsFile(plan.folder, clients);
  service.signal('SIGHUP');
  await until(() => service.stdout().split('read anew').length > before);
}
