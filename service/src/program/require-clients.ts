import { ConfigError } from '../config/config-error.ts';
import type { Config } from '../config.ts';
import { readClientsFile } from '../platform/clients-file.ts';

/**
 * Before anything is opened or written: only a person can correct the file, so a supervisor must
 * not start the service again.
 * @throws ConfigError with every fault of the clients file
 */
export function requireClients({ live, simulator }: Config): void {
  const file = live?.clientsFile ?? simulator?.clientsFile ?? null;
  if (file === null) return;
  try {
    readClientsFile(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError([`CLIENTS_FILE: ${reason.replaceAll('\n', '\n  ')}`]);
  }
}
