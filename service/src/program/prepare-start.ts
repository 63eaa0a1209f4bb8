import type { Loaded } from '../config/config.ts';
import { systemTimer } from '../platform/runtime.ts';
import type { Finding } from '../operate/doctor/finding.ts';
import { examineSettingsFiles } from '../operate/doctor/settings-files.ts';
import { chooseSockets, type InheritedSockets } from '../server/inherited-sockets.ts';
import { requireClients, requireRoles, uncalledBy } from '../operate/require-clients.ts';
import { tryPorts } from '../server/try-ports.ts';

/** What is known of a start before anything is opened. */
interface Prepared {
  readonly sockets: InheritedSockets;
  /** For the log: files that other users may read or change, misspelt settings, addresses of clients. */
  readonly warnings: readonly string[];
  /** For the log of a reload: what has changed in the file of settings since. */
  readonly forNextStart: () => readonly string[];
  /** For the pages of operators, where they are on. */
  readonly examine?: () => Promise<readonly Finding[]>;
}

/**
 * All that can refuse a start without the store: it comes before anything is opened or written.
 * What only a person can correct comes first, because a supervisor does not start that again.
 * @param descriptors of sockets that a supervisor hands over
 * @throws ConfigError, or Error, that says what to do
 */
export async function prepareStart(
  loaded: Loaded,
  descriptors: readonly number[],
): Promise<Prepared> {
  const { config } = loaded;
  const sockets = await chooseSockets(descriptors, config);
  const uncalled = uncalledBy(config, requireClients(config));
  requireRoles(config);
  await tryPorts(config, sockets, systemTimer);
  const found = examineSettingsFiles(loaded).filter(({ severity }) => severity !== 'ok');
  const ofFiles = found.map(({ what, remedy }) => `${what} ${remedy}`);
  const examine = await examineOf(loaded);
  const ofClients = uncalled.map(({ said }) => `CLIENTS_FILE: ${said}`);
  const warnings = [...loaded.misspelt, ...ofFiles, ...ofClients];
  const forNextStart = () => loaded.file?.changes() ?? [];
  return { sockets, warnings, forNextStart, ...(examine === null ? {} : { examine }) };
}

/** Loads what starts other programs only where the pages for operators are on. */
async function examineOf(loaded: Loaded) {
  if (loaded.config.operator === null) return null;
  const { doctorByCommand } = await import('../operate/doctor/by-command.ts');
  return doctorByCommand(loaded);
}
