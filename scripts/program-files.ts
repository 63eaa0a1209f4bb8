import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** The environment variable that names the folder with the bundled programs of a run. */
export const BUNDLED_PROGRAMS = 'TEST_PROGRAMS';
/** That names the file of the thread that writes to SQLite. */
export const BUNDLED_THREAD = 'TEST_SQLITE_THREAD';

const PROGRAMS = {
  service: '../service/start.mjs',
  miftah: '../service/miftah.mjs',
  simulator: '../simulator/src/main.ts',
  'service-later': '../service/test/support/postgres/programs/service-later.ts',
  'miftah-later': '../service/test/support/postgres/programs/miftah-later.ts',
  'never-closes': '../service/test/support/programs/never-closes.ts',
} as const;

/** The file to start: bundled in a run of the tests of programs, otherwise the source. */
export function programFile(name: keyof typeof PROGRAMS): string {
  const folder = process.env[BUNDLED_PROGRAMS];
  if (folder !== undefined) return join(folder, `${name}.mjs`);
  return fileURLToPath(new URL(PROGRAMS[name], import.meta.url));
}
