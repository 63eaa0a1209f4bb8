import { existsSync, statfsSync } from 'node:fs';
import type { Config } from '../../config/config.ts';
import { asMebibytes } from '../mebibytes.ts';
import { fault, ok, warning, type Finding } from './finding.ts';

const CHECK = 'data.space';
const MEBIBYTE = 1024 * 1024;
/** A commit needs some pages of the log; below this the next one may find none. */
const FULL = MEBIBYTE;
/** Some hundred thousand attempts: time to make place while everything still works. */
const SCARCE = 64 * MEBIBYTE;

/** Whether the disk of DATA_DIR takes anything more. */
export function examineSpace({ dataDir: folder }: Config): readonly Finding[] {
  if (!existsSync(folder)) return [];
  const { bavail, bsize, files, ffree } = statfsSync(folder);
  const free = bavail * bsize;
  const remedy = 'Free space on that disk. The service takes writes again by itself.';
  // Some file systems do not count their files, and say that there can be none.
  if (files > 0 && ffree === 0) {
    return [fault(CHECK, `The disk of DATA_DIR ${folder} has no place for another file.`, remedy)];
  }
  const what = `The disk of DATA_DIR ${folder} has ${asMebibytes(free)} left`;
  if (free < FULL) return [fault(CHECK, `${what}, so nothing can be written.`, remedy)];
  return [free < SCARCE ? warning(CHECK, `${what}.`, remedy) : ok(CHECK, `${what}.`)];
}
