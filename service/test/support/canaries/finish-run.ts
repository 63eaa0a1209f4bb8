import { globSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { searchForLeaks } from './leaks.ts';
import { PID_FILE } from './run-folder.ts';

const SHOWN_LEAKS = 20;

/**
 * Searches the files of a run, and removes them when nothing was found.
 * @returns a sentence about what was searched; empty when nothing was recorded.
 * @throws Error with the places of the leaks
 */
export function finishRun(folder: string): string {
  endProcesses(folder);
  const { canaries, logLines, databaseBytes, leaks } = searchForLeaks(folder);
  const searched = `${canaries} secrets in ${logLines} log lines, ${databaseBytes} database bytes`;
  if (leaks.length > 0) {
    const shown = leaks.slice(0, SHOWN_LEAKS).join('\n  ');
    throw new Error(`${leaks.length} leaks, of ${searched}:\n  ${shown}\n${folder} is kept`);
  }
  rmSync(folder, { recursive: true, force: true });
  const isEmpty = canaries === 0 && logLines === 0;
  return isEmpty ? '' : `No leak: looked for ${searched}.`;
}

/** Ends processes that interrupted workers have left running. */
export function endProcesses(folder: string): void {
  for (const file of globSync(`services/*/${PID_FILE}`, { cwd: folder })) {
    try {
      process.kill(Number(readFileSync(join(folder, file), 'utf8')), 'SIGKILL');
    } catch {
      // It has already ended.
    }
  }
}
