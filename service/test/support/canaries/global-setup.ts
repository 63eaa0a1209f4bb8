import { rmSync } from 'node:fs';
import process from 'node:process';
import { searchForLeaks } from './leaks.ts';
import { openRunFolder } from './run-folder.ts';

/** Before the tests: a folder for all that they record. After the last one: the search of it. */
export default function setUp(): () => void {
  const folder = openRunFolder();
  return () => {
    // Should the search be cut short, by its own fault or for taking too long, the run has failed.
    const codeSoFar = process.exitCode;
    process.exitCode = 1;
    const { canaries, logLines, databaseBytes, leaks } = searchForLeaks(folder);
    const searched = `${canaries} secrets in ${logLines} log lines, ${databaseBytes} database bytes`;
    if (leaks.length > 0) {
      const shown = leaks.slice(0, 20).join('\n  ');
      throw new Error(`${leaks.length} leaks, of ${searched}:\n  ${shown}\n${folder} is kept`);
    }
    console.log(`No leak: looked for ${searched}.`);
    rmSync(folder, { recursive: true, force: true });
    process.exitCode = codeSoFar;
  };
}
