import { chmodSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const PRIVATE_FILE = 0o600;
/** Whatever the group and all others may do. */
const FOREIGN = 0o077;
const WRITABLE_BY_ALL = 0o002;
const WRITABLE_BY_GROUP = 0o020;
const ROOT = 0;

/**
 * Has the files in the data folder for their owner only, also those that came with a backup or a
 * copy. Modes say nothing on Windows.
 * @returns what the operator should know of, and may have meant
 * @throws Error when the folder or a file is somebody else's or can't be made private, or when
 *   anybody may put files into the folder
 */
export function keepPrivate(
  folder: string,
  names: readonly string[],
  chmod: (path: string, mode: number) => void = chmodSync,
): readonly string[] {
  if (process.platform === 'win32' || !existsSync(folder)) return [];
  if (hasMode(folder, WRITABLE_BY_ALL)) {
    throw new Error(
      `every user may write into ${folder}: take that right away, or set DATA_DIR to a folder ` +
        'below it, which is then made for this user only',
    );
  }
  // Volumes are mounted so: root has the folder, and the service is in its group.
  requireOwner(folder, [ROOT, ownId()]);
  const paths = names.map((name) => join(folder, name)).filter((path) => existsSync(path));
  for (const path of paths) requireOwner(path, [ownId()]);
  for (const path of paths.filter((one) => hasMode(one, FOREIGN))) tighten(path, chmod);
  if (!hasMode(folder, WRITABLE_BY_GROUP)) return [];
  return [
    `every user of its group may write into ${folder}, and put other files in the place of ours`,
  ];
}

/** Of POSIX systems; there is nothing to compare on others. */
function ownId(): number {
  return process.getuid?.() ?? ROOT;
}

/** Who owns a file can change it, whatever its mode; who owns a folder can exchange what is in it. */
function requireOwner(path: string, allowed: readonly number[]): void {
  const { uid } = statSync(path);
  if (allowed.includes(uid)) return;
  throw new Error(
    `${path} belongs to another user (${uid}) than the one that runs this (${ownId()}): ` +
      'run it as that user, or give the folder and all that is in it to this one with chown',
  );
}

function hasMode(path: string, bits: number): boolean {
  return (statSync(path).mode & bits) !== 0;
}

/** Looks again afterwards: some file systems take a mode and forget it. */
function tighten(path: string, chmod: (path: string, mode: number) => void): void {
  let cause: unknown;
  try {
    chmod(path, PRIVATE_FILE);
  } catch (error) {
    cause = error;
  }
  if (!hasMode(path, FOREIGN)) return;
  const advice = 'give it to the user of this service and take all rights from others';
  throw new Error(`other users may open ${path}, which holds secrets: ${advice}`, { cause });
}
