import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { folderOfRun } from '../../canaries/run-folder.ts';

const SOURCE = fileURLToPath(new URL('./disk-shim.c', import.meta.url));
const INSTALL = ['apt-get', 'install', '--yes', 'gcc', 'libc6-dev'] as const;

/** Why there is no library, for the message of what is left out. */
export const NO_SHIM = 'it needs Linux with glibc, and gcc';

/**
 * Compiles the library of disk-shim.c. The compiler is installed if we are root and have apt; null if
 * there is none.
 */
export function buildDiskShim(): string | null {
  if (process.platform !== 'linux') return null;
  const library = join(folderOfRun('disk-shim'), 'disk-shim.so');
  if (compile(library)) return library;
  if (process.getuid?.() !== 0) return null;
  const [command, ...args] = INSTALL;
  spawnSync(command, args, { stdio: 'ignore' });
  return compile(library) ? library : null;
}

function compile(library: string): boolean {
  const args = ['-shared', '-fPIC', '-O1', '-o', library, SOURCE, '-ldl', '-lpthread'];
  return spawnSync('gcc', args, { stdio: 'ignore' }).status === 0;
}
