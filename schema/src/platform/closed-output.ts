import process from 'node:process';

const EXIT_FAILED = 1;

/**
 * For a command that prints: when the program that reads its output has gone (`head` has what it
 * needs), the command does its work to the end, quietly. Any other fault of the output is said once,
 * without a stack, and makes the exit code 1.
 * @returns leaves the faults of standard output to the caller again
 */
export function tolerateClosedOutput(): () => void {
  process.stdout.on('error', tolerate);
  // Whoever reads no notes and errors still gets the exit code.
  process.stderr.on('error', () => undefined);
  return () => void process.stdout.off('error', tolerate);
}

let isSaid = false;

function tolerate({ code, message }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE' || isSaid) return;
  isSaid = true;
  process.exitCode = EXIT_FAILED;
  process.stderr.write(`the output could not be written: ${message}\n`);
}
