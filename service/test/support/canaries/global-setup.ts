import process from 'node:process';
import { endProcesses, finishRun } from './finish-run.ts';
import { openRunFolder } from './run-folder.ts';

/** Before the tests: a folder for all that they record. After the last one: the search of it. */
export default function setUp(): () => void {
  const folder = openRunFolder();
  // An interrupted run comes to no teardown.
  process.once('exit', () => endProcesses(folder));
  return () => {
    // Should the search be cut short, by its own fault or for taking too long, the run has failed.
    const codeSoFar = process.exitCode;
    process.exitCode = 1;
    console.log(finishRun(folder));
    process.exitCode = codeSoFar;
  };
}
