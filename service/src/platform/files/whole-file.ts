import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, open, rename, rm } from 'node:fs/promises';
import process from 'node:process';

const PRIVATE_FILE = 0o600;

/**
 * Writes a text that need not fit into memory, so that the file has all of it or is not there. Only
 * this user may read it.
 * @param replaces whether it may take the place of a file that is there
 * @param stop ends it, without a file
 * @throws Error of the file system: EEXIST for a file that is there; AbortError
 */
export async function writeWhole(
  path: string,
  pieces: Iterable<string>,
  { replaces, stop }: { readonly replaces: boolean; readonly stop: AbortSignal },
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  if (!replaces && existsSync(path)) {
    throw Object.assign(new Error(`${path} is there`), { code: 'EEXIST' });
  }
  const draft = `${path}.${process.pid}.part`;
  const file = await open(draft, 'wx', PRIVATE_FILE);
  try {
    const hash = createHash('sha256');
    let bytes = 0;
    for (const piece of pieces) {
      stop.throwIfAborted();
      const part = Buffer.from(piece);
      await file.appendFile(part);
      hash.update(part);
      bytes += part.length;
    }
    await file.sync();
    // A link never takes the place of a file.
    await (replaces ? rename(draft, path) : link(draft, path));
    return { bytes, sha256: hash.digest('hex') };
  } finally {
    await file.close();
    await rm(draft, { force: true });
  }
}
