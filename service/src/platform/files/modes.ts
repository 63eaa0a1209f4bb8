import { statSync } from 'node:fs';

/** Rights in the mode of a POSIX file: of its group, and of all other users. */
export const GROUP_RIGHTS = 0o070;
export const GROUP_WRITES = 0o020;
export const OTHERS_RIGHTS = 0o007;
export const OTHERS_WRITE = 0o002;
export const OTHERS_ENTER = 0o001;
/** In the mode of a folder. */
export const OTHERS_OR_GROUP_ENTER = 0o011;

/** @returns whether the file has at least one of these rights. @throws Error of the file system */
export function hasMode(path: string, rights: number): boolean {
  return (statSync(path).mode & rights) !== 0;
}
