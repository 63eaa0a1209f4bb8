/**
 * `npm run simulator`, `miftah-simulator`: listens to signals, and then loads the program, which
 * takes a quarter of a second. A stop meanwhile ends it at once with exit code 0, because nothing was
 * answered yet. Without this, the first process of a container would ignore such a stop.
 */
import process from 'node:process';

const STOPS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

const end = () => process.exit(0);
for (const signal of STOPS) process.on(signal, end);

const { runProgram } = await import('./run-program.ts');
await runProgram(process.argv.slice(2), () => {
  for (const signal of STOPS) process.off(signal, end);
});
