import { setTimeout as pause } from 'node:timers/promises';
import { median } from '../figures/figures.ts';
import { inNewFolder } from '../servers/data-folder.ts';
import { ServerProcess } from '../servers/server-process.ts';

/** How long to wait until the work after a start has finished. */
const IDLE_MS = 1500;
const MEGABYTE = 1024 ** 2;

export interface ColdStart {
  readonly milliseconds: number;
  /** Null if the system does not provide it. */
  readonly idleMegabytes: number | null;
}

/**
 * The time of the service from its first instruction to its first answer, each time with a new data
 * folder.
 */
export async function measureColdStart(spawns: number): Promise<ColdStart> {
  const starts: ColdStart[] = [];
  for (let spawn = 0; spawn < spawns; spawn += 1) starts.push(await inNewFolder(startOnce));
  const idle = starts.flatMap(({ idleMegabytes }) => idleMegabytes ?? []);
  return {
    milliseconds: median(starts.map(({ milliseconds }) => milliseconds)),
    idleMegabytes: idle.length === 0 ? null : median(idle),
  };
}

async function startOnce(dataDir: string): Promise<ColdStart> {
  const startedAt = performance.now();
  const server = await ServerProcess.service(dataDir);
  const milliseconds = performance.now() - startedAt;
  await pause(IDLE_MS);
  const bytes = server.residentBytes();
  await server.stop();
  return { milliseconds, idleMegabytes: bytes === null ? null : bytes / MEGABYTE };
}
