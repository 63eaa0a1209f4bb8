import { misused } from './failure.ts';

/** @throws DriveFailure for a file that can't be read, or is no JSON */
export function jsonIn(path: string, readFile: (path: string) => string): unknown {
  try {
    return JSON.parse(readFile(path)) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) throw misused('The file is no JSON.');
    throw misused('The file can not be read.');
  }
}
