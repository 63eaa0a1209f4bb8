import process from 'node:process';
import { endProcesses, finishRun } from './finish-run.ts';
import { openRunFolder } from './run-folder.ts';

/** Before the tests, creates a folder for what they record; after the last test, searches it. */
export default function setUp(): () => void {
  const folder = openRunFolder();
  // An interrupted run has no teardown.
  process.once('exit', () => endProcesses(folder));
  return () => {
    // If the search fails or takes too long, the run must count as failed.
    const codeSoFar = process.exitCode;
    process.exitCode = 1;
    const searched = finishRun(folder);
    if (searched !== '') console.log(searched);
    process.exitCode = codeSoFar;
  };
}
