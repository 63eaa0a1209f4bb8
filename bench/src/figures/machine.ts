import { arch, availableParallelism, cpus, loadavg, platform, release } from 'node:os';
import { fileSystem } from '../servers/data-folder.ts';

/** The properties of the machine that influence the figures, without its name. */
export interface Machine {
  readonly class: string;
  readonly processor: string;
  readonly cores: number;
  readonly node: string;
  readonly kernel: string;
  readonly fileSystem: string;
  /** The load average of the minute before. */
  readonly loadBefore: number;
}

export function describeMachine(): Machine {
  const cores = availableParallelism();
  return {
    class: `${platform()}-${arch()}-${cores}-cores`,
    processor: cpus()[0]?.model ?? 'unknown',
    cores,
    node: process.version,
    // Only the version, because the rest may be the name of a private build.
    kernel: release().replace(/-.*/, ''),
    fileSystem: fileSystem(),
    loadBefore: loadavg()[0] ?? 0,
  };
}
