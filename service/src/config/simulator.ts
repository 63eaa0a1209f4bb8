import type { Read } from './live.ts';

/** What can be set of simulator mode alone. */
export interface SimulatorConfig {
  /** Null: one client that is built in, whose key everybody knows. */
  readonly clientsFile: string | null;
}

export function readSimulator(read: Read): SimulatorConfig {
  return { clientsFile: read<string | null>('CLIENTS_FILE', null, String) };
}
