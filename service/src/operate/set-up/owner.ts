import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

/** The user of the service, as Miftah's unit and image name it. */
export const SERVICE_USER = 'miftah';

export interface Ids {
  readonly uid: number;
  readonly gid: number;
}

export const isRoot = (): boolean => process.getuid?.() === 0;

/**
 * The user of the service on the system below `root`. Null where this process can give nothing away,
 * because it is not root's, or where there is no such user yet.
 */
export function serviceUser(root: string): Ids | null {
  return isRoot() ? idsOf(SERVICE_USER, root) : null;
}

function idsOf(user: string, root: string): Ids | null {
  let users: string;
  try {
    users = readFileSync(join(root, 'etc', 'passwd'), 'utf8');
  } catch {
    return null;
  }
  const entry = users.split('\n').find((line) => line.startsWith(`${user}:`));
  const [, , uid, gid] = entry?.split(':') ?? [];
  return uid === undefined || gid === undefined ? null : { uid: Number(uid), gid: Number(gid) };
}
