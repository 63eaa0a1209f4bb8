import { writeClientsFile, type ClientEntry } from '../../../../scripts/rehearsal.ts';
import type { OpenedRehearsal } from './shared-rehearsal.ts';

/** Replaces the file of the clients, and has it read as SIGHUP does. */
export async function reloadClients(
  { plan, service }: OpenedRehearsal,
  clients: readonly ClientEntry[],
): Promise<void> {
  writeClientsFile(plan.folder, clients);
  await service.reload();
}
