import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

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
  // Opened once, and without waiting: between a look and a read it could be replaced by a pipe.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const status = fstatSync(file);
    // Of a folder the system says more.
    const isFit = status.isFile() || status.isDirectory();
    if (!isFit) throw new UnfitFileError('it is no regular file');
    if (status.size > mostBytes) throw new UnfitFileError(`it has more than ${mostBytes} bytes`);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}
