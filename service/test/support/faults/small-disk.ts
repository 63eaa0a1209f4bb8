import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  rmdirSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const BLOCK = 4096;

/**
 * A small file system in memory, used as a disk that is soon full. Mounting it needs root on Linux.
 * Elsewhere this is null, and the caller must print what it leaves out.
 */
export function mountSmallDisk(megabytes: number): SmallDisk | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return null;
  const folder = mkdtempSync(join(tmpdir(), 'miftah-disk-'));
  const mounted = run(
    'mount',
    '-t',
    'tmpfs',
    '-o',
    `size=${megabytes * 1024}k,mode=700`,
    'tmpfs',
    folder,
  );
  if (mounted) return new SmallDisk(folder);
  rmdirSync(folder);
  return null;
}

export class SmallDisk {
  readonly folder: string;
  readonly #filling: string;

  constructor(folder: string) {
    this.folder = folder;
    this.#filling = join(folder, 'filling');
  }

  /** Fills the disk with another file, except for this many bytes. */
  fill(leftBytes = 0): void {
    const file = openSync(this.#filling, 'a');
    const block = Buffer.alloc(BLOCK, 'x');
    while (this.freeBytes > leftBytes) writeSync(file, block);
    closeSync(file);
  }

  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.folder);
    return bavail * bsize;
  }

  free(): void {
    // A child of another thread has this file open too until it runs its program, and a file that
    // is only removed keeps its space for so long.
    if (existsSync(this.#filling)) truncateSync(this.#filling);
    rmSync(this.#filling, { force: true });
  }

  unmount(): void {
    if (!existsSync(this.folder)) return;
    if (!run('umount', this.folder)) throw new Error(`${this.folder} could not be unmounted`);
    rmdirSync(this.folder);
  }
}

function run(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}
