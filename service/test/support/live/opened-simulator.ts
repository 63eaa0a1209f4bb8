import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSimulator } from '../../../../simulator/src/open-simulator.ts';
import { readSettings } from '../../../../simulator/src/settings.ts';
import type { Environment } from '../../../../scripts/rehearsal.ts';
import { serviceFolder } from '../canaries/run-folder.ts';
import { findFreePort } from '../programs/service-process.ts';

/** The stand-alone simulator in this process, on its own socket and with the real clock. */
export interface ListeningSimulator {
  readonly origin: string;
  readonly port: number;
  /** Its whole log so far. */
  log(): string;
  stop(): Promise<void>;
}

/**
 * For tests that need a provider and not its process, whose start takes several times the processor
 * time. Its log is searched for secrets when the run ends.
 */
export async function openListeningSimulator(given: Environment): Promise<ListeningSimulator> {
  const port = Number(given['PORT'] ?? (await findFreePort()));
  const folder = serviceFolder('simulator');
  const own = { LOG_LEVEL: 'trace', PORT: String(port), DATA_DIR: join(folder, 'data') };
  const read = readSettings({ ...own, ...given });
  if (!read.ok) throw new Error(read.faults.join('\n'));
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  const { server, release } = await openSimulator(read.settings, stream);
  await server.listen({ host: '127.0.0.1', port });
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    log: () => lines.join(''),
    async stop() {
      const closed = server.close();
      server.server.closeAllConnections();
      await closed;
      release();
      writeFileSync(join(folder, 'all.log'), lines.join(''));
    },
  };
}
