// The files of the search, which Pagefind writes at the end of a build. On a busy machine its
// program may end before the last of them is written: the file is then there, and empty.

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The names of files of the search that are empty, or of its list of them when that is missing. */
export function emptySearchFilesIn(folder: string): readonly string[] {
  const search = join(folder, 'pagefind');
  const entries = readdirSync(search, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  if (!files.some(({ name }) => name === 'pagefind-entry.json')) return ['pagefind-entry.json'];
  return files
    .filter(({ parentPath, name }) => statSync(join(parentPath, name)).size === 0)
    .map(({ name }) => name);
}
