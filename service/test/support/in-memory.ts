import { accessSync, constants, mkdtempSync, readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** What the stores and the PostgreSQL server of a run need at the same time, several times over. */
const LEAST_BYTES = 4 * 1024 ** 3;

/**
 * A new folder in memory, where the machine has such a disk with room, and programs may be run from
 * it. For stores that a test opens in its own process, and servers that may lose data in a crash: a
 * wait for the disk costs a tenth of a run's processor time, and only a power cut would show that it
 * was left out. Real programs, and the tests of the stores themselves, write to the disk.
 */
export function folderInMemory(name: string): string {
  return mkdtempSync(join(hasMemory ? MEMORY : tmpdir(), `miftah-${name}-`));
}

const hasMemory = isRoomy();

function isRoomy(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    const mount = readFileSync('/proc/mounts', 'utf8').match(/^\S+ \/dev\/shm tmpfs (\S+)/m);
    const options = mount?.[1]?.split(',') ?? ['noexec'];
    return bavail * bsize >= LEAST_BYTES && !options.includes('noexec');
  } catch {
    return false;
  }
}
