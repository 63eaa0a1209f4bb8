import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import process from 'node:process';
import { GROUP_WRITES, OTHERS_WRITE } from './modes.ts';
import { ownId, ROOT } from './private-files.ts';
import { shellWord } from '../shell-word.ts';

/** In a folder with this bit a user can rename and remove only what is theirs. */
const STICKY = 0o1000;
/** As many as Linux follows. */
const LINKS_MAX = 40;

export interface FolderRules {
  /** Users who may own the folders too, such as the one of the service. */
  readonly owners?: readonly number[];
}

/**
 * Why another user could put other files in the place of those in a folder: because of its owner or
 * its mode, or because of a folder or a symbolic link on the way to it. Null where only root and
 * this user can. What is missing is no fault, because this process makes it. Windows has no such
 * owners.
 */
export function faultOfFolder(path: string, { owners = [] }: FolderRules = {}): string | null {
  if (process.platform === 'win32') return null;
  const allowed = [ROOT, ownId(), ...owners];
  const rest = namesIn(path);
  let folder = '/';
  let links = 0;
  let fault = faultOfOne(folder, lstatSync(folder), allowed, rest.length > 0);
  while (fault === null) {
    const name = rest.shift();
    if (name === undefined) return null;
    // The folder has no symbolic link in it, so the folder above it is the one in its path.
    const next = name === '..' ? dirname(folder) : join(folder, name);
    const stats = statsOf(next);
    if (stats === undefined || typeof stats === 'string') return stats ?? null;
    fault = faultOfOne(next, stats, allowed, rest.length > 0);
    if (stats.isSymbolicLink()) {
      links += 1;
      if (links > LINKS_MAX) return `${path} goes through too many symbolic links`;
      const target = readlinkSync(next);
      if (isAbsolute(target)) folder = '/';
      rest.unshift(...namesIn(target));
    } else folder = next;
  }
  return fault;
}

const namesIn = (path: string) => path.split('/').filter((name) => name !== '' && name !== '.');

/** Undefined: nothing is there. A text: why it can't be looked at. */
function statsOf(path: string): Stats | string | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    return `${path} can't be looked at: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function faultOfOne(
  path: string,
  stats: Stats,
  allowed: readonly number[],
  isShared: boolean,
): string | null {
  const isLink = stats.isSymbolicLink();
  if (!allowed.includes(stats.uid)) {
    return (
      `${path} is a ${isLink ? 'symbolic link' : 'folder'} of another user (${stats.uid}), who could ` +
      `put other files in the place of these: name another folder, or give it to user ${ownId()} ` +
      `with chown${isLink ? ' -h' : ''}`
    );
  }
  // The mode of a symbolic link means nothing.
  if (isLink) return null;
  if (!stats.isDirectory()) return `${path} is no folder: name another one`;
  const isSticky = (stats.mode & STICKY) !== 0;
  if (!isWritableByOthers(stats) || (isShared && isSticky)) return null;
  // The right to write into a folder such as /tmp is needed by others.
  const remedy = isSticky
    ? 'a folder in it'
    : `another folder, or take that right away (chmod go-w ${shellWord(path)})`;
  return `other users may write into ${path}, and put other files in the place of these: name ${remedy}`;
}

/** The private group of a user has the number of that user, and nobody else is in it. */
function isWritableByOthers({ mode, uid, gid }: Stats): boolean {
  const isPrivateGroup = uid !== ROOT && gid === uid;
  return (mode & (OTHERS_WRITE | (isPrivateGroup ? 0 : GROUP_WRITES))) !== 0;
}
