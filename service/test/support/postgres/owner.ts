import { spawnSync } from 'node:child_process';
import { cpSync, chmodSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';

/** The user that a server runs as; undefined: the one who runs the tests. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** A user without rights, which every system has. */
const NAME = 'nobody';

/** PostgreSQL refuses to run as root, so as root it runs as another user. */
export function serverOwner(): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${NAME}:`));
  if (line === undefined) throw new Error(`PostgreSQL can't run as root, and no ${NAME} is there`);
  const [, , uid, gid] = line.split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

/**
 * A folder of server programs that the owner can run: the given one, or a copy in `folder`, because
 * a checkout below root's own folder is closed to everybody else.
 */
export function runnablePrograms(programs: string, folder: string, owner?: Owner): string {
  if (owner === undefined || !isClosedTo(programs, owner)) return programs;
  const copy = join(folder, 'programs');
  cpSync(dirname(programs), copy, { recursive: true, verbatimSymlinks: true });
  chmodSync(copy, 0o755);
  return join(copy, 'bin');
}

function isClosedTo(programs: string, owner: Owner): boolean {
  const { error } = spawnSync(join(programs, 'postgres'), ['--version'], { ...owner });
  return error !== undefined && 'code' in error && error.code === 'EACCES';
}
