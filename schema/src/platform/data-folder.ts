import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const PRIVATE_FOLDER = 0o700;
export const ADVICE = 'Set DATA_DIR to a folder that this user may write into';

/**
 * Makes the folder of DATA_DIR and those above it that are missing, each by itself: where a file
 * system can't have them (`/proc/x`), Node's recursive way tries again for ever.
 * @param wordsOf says what an error of the system means, without a full stop
 * @throws Error that names the setting
 */
export function makeDataFolder(folder: string, wordsOf = messageOf): void {
  const path = resolve(folder);
  try {
    makeEach(path);
  } catch (error) {
    throw new Error(`${path} can't be made: ${wordsOf(error)}. ${ADVICE}`, { cause: error });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function makeEach(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return;
  if (found !== undefined) throw new Error(`${path} is no folder`);
  makeEach(dirname(path));
  try {
    mkdirSync(path, { mode: PRIVATE_FOLDER });
  } catch (error) {
    // Another program has made it in the meantime.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}
