import { readFileSync, statSync } from 'node:fs';

/** The file is of another kind, or larger than it can be. The message says so, without the path. */
export class UnfitFileError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'UnfitFileError';
  }
}

/**
 * The text of a file that somebody has named. A pipe would wait for somebody to write, and a device
 * such as /dev/zero never ends: a program that reads one stands still, and no signal ends it.
 * @param mostBytes far more than such a file needs
 * @throws UnfitFileError, and the errors of the file system
 */
export function readRegularFile(path: string, mostBytes: number): string {
  const status = statSync(path);
  // Of a folder the system says more.
  if (!status.isFile() && !status.isDirectory()) throw new UnfitFileError('it is no regular file');
  if (status.size > mostBytes) throw new UnfitFileError(`it has more than ${mostBytes} bytes`);
  return readFileSync(path, 'utf8');
}
