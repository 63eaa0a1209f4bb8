import process from 'node:process';

const EXIT_FAILED = 1;

/**
 * For a command that prints: it ends with the program that reads its output, quietly, because such a
 * program (`head`) has what it needs. Any other fault of the output is said, without a stack.
 * @returns leaves the faults of standard output to the caller again
 */
export function endWithReader(): () => void {
  process.stdout.on('error', end);
  // Whoever reads no notes and errors still gets the exit code.
  process.stderr.on('error', () => undefined);
  return () => void process.stdout.off('error', end);
}

function end({ code, message }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') process.exit();
  process.stderr.write(`the output could not be written: ${message}\n`);
  process.exit(EXIT_FAILED);
}
