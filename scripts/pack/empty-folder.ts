import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** In a folder that was made here, so that it may be emptied the next time. */
const MARK = '.made-by-pack-all';

/**
 * Makes a folder, or empties one that it has made before.
 * @throws Error for a folder with files of somebody else, which stay as they are
 */
export function emptyFolder(folder: string): void {
  const isOurs = existsSync(join(folder, MARK));
  if (!isOurs && existsSync(folder) && readdirSync(folder).length > 0) {
    throw new Error(
      `${folder} is not empty, and this command did not make it. Name a new or an empty folder, ` +
        'or delete this one first.',
    );
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, MARK), '');
}
