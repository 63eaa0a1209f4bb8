import { flushCompileCache } from 'node:module';
import process from 'node:process';
import { tolerateClosedOutput } from '@miftah/schema/closed-output';
import { listenError } from '@miftah/schema/listen-error';
import { openLogOutput, type LogOutput } from '@miftah/schema/log-output';
import { endWithNpm } from '@miftah/schema/parent-process';
import closeWithGrace from 'close-with-grace';
import { EXIT_MISUSED, readArguments } from './arguments.ts';
import { banner } from './banner.ts';
import { openSimulator } from './open-simulator.ts';
import { findFreePort, systemTimer } from './platform/platform.ts';
import { readSettings, type Settings } from './settings.ts';

/** Slow answers are sent at once, and requests that are still unfinished after this are cut off. */
const CUT_OFF_MS = 5000;
/** The longest time for closing; then the process ends with exit code 1. */
const DRAIN_MS = 10_000;
/** How long a stop waits for a log that can't be written. */
const LAST_LINES_MS = 500;
const STANDARD_OUTPUT = 1;

interface Start {
  readonly output: LogOutput;
  /** For the log, once it is open. */
  readonly warnings: readonly string[];
  readonly handOver: () => void;
}

async function run(settings: Settings, { output, warnings, handOver }: Start): Promise<void> {
  const { host, port } = settings;
  const { server, people, release } = await openSimulator(settings, output);
  output.on('restored', (gap) => server.log.warn(gap, 'the log could not be written for a while'));
  for (const warning of warnings) server.log.warn(warning);
  await server.listen({ host, port }).catch((error: unknown) => {
    throw listenError(error, { host, port, names: ['HOST', 'PORT'] });
  });
  handOver();
  closeWithGrace({ delay: DRAIN_MS, logger: server.log }, async ({ err }) => {
    if (err !== undefined) server.log.error(err);
    // A request that does not end was never answered, so cutting it off is a clean stop.
    const closed = new AbortController();
    const cutOff = systemTimer
      .sleep(CUT_OFF_MS, closed.signal)
      .then(() => server.server.closeAllConnections());
    await server.close();
    closed.abort();
    await cutOff;
    release();
    await output.drain(LAST_LINES_MS);
  });
  output.write(banner(settings, people));
  // Otherwise Node writes it at the end, and a program that is killed would leave nothing.
  flushCompileCache();
}

function giveUp(faults: readonly string[]): void {
  process.stderr.write(`The simulator can't start:\n${faults.map((f) => `  - ${f}\n`).join('')}`);
  process.exitCode = 1;
}

/** PORT=0 means any free port. It must be known before the start, because addresses contain it. */
async function settle(settings: Settings): Promise<Settings> {
  if (settings.port !== 0) return settings;
  const again = readSettings(process.env, await findFreePort(settings.host));
  return again.ok ? again.settings : settings;
}

async function start(handOver: () => void): Promise<void> {
  const read = readSettings(process.env);
  if (!read.ok) return giveUp(read.faults);
  try {
    const output = openLogOutput(STANDARD_OUTPUT);
    await run(await settle(read.settings), { output, warnings: read.misspelt, handOver });
  } catch (error) {
    giveUp([error instanceof Error ? error.message : String(error)]);
  }
}

/**
 * The simulator as a program of its own, with settings from the environment.
 * @param handOver called when the simulator can stop in order: it listens to signals from then on
 */
export async function runProgram(args: readonly string[], handOver: () => void): Promise<void> {
  const asked = readArguments(args);
  if (asked.kind === 'run') {
    endWithNpm(process.env['npm_lifecycle_script']);
    return start(handOver);
  }
  tolerateClosedOutput();
  if (asked.kind === 'help') {
    process.stdout.write(`${asked.text}\n`);
    return;
  }
  process.stderr.write(`${asked.text}\n`);
  process.exitCode = EXIT_MISUSED;
}
