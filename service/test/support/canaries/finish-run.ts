import { rmSync } from 'node:fs';
import { searchForLeaks } from './leaks.ts';

const SHOWN_LEAKS = 20;

/**
 * Searches what a run has left, and removes it when nothing was found.
 * @returns what was looked through, in a sentence. @throws Error naming the places of the leaks
 */
export function finishRun(folder: string): string {
  const { canaries, logLines, databaseBytes, leaks } = searchForLeaks(folder);
  const searched = `${canaries} secrets in ${logLines} log lines, ${databaseBytes} database bytes`;
  if (leaks.length > 0) {
    const shown = leaks.slice(0, SHOWN_LEAKS).join('\n  ');
    throw new Error(`${leaks.length} leaks, of ${searched}:\n  ${shown}\n${folder} is kept`);
  }
  rmSync(folder, { recursive: true, force: true });
  return `No leak: looked for ${searched}.`;
}
