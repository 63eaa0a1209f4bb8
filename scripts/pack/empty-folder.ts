import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** In a folder that was made here, so that it may be emptied the next time. */
const MARK = '.made-by-pack-all';
/** `npm run release` keeps what it makes in this folder of `dist/`. */
const RELEASES = 'release';

/**
 * Makes a folder, or empties one that it has made before. Releases in it stay.
 * @throws Error for a folder with files of somebody else, which stay as they are
 */
export function emptyFolder(folder: string): void {
  const isOurs = existsSync(join(folder, MARK));
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name !== RELEASES) : [];
  if (!isOurs && names.length > 0) {
    throw new Error(
      `${folder} is not empty, and this command did not make it. Name a new or an empty folder, ` +
        'or delete this one first.',
    );
  }
  for (const name of names) rmSync(join(folder, name), { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, MARK), '');
}
