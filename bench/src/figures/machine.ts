import { arch, availableParallelism, cpus, loadavg, platform, release } from 'node:os';
import { fileSystem } from '../servers/data-folder.ts';

/** What of the machine the figures depend on, and nothing that names it. */
export interface Machine {
  readonly class: string;
  readonly processor: string;
  readonly cores: number;
  readonly node: string;
  readonly kernel: string;
  readonly fileSystem: string;
  /** Programs that ran or waited to, over the minute before. */
  readonly loadBefore: number;
}

export function describeMachine(): Machine {
  const cores = availableParallelism();
  return {
    class: `${platform()}-${arch()}-${cores}-cores`,
    processor: cpus()[0]?.model ?? 'unknown',
    cores,
    node: process.version,
    // The version only: what follows it may be a name that somebody gave to a build.
    kernel: release().replace(/-.*/, ''),
    fileSystem: fileSystem(),
    loadBefore: loadavg()[0] ?? 0,
  };
}
