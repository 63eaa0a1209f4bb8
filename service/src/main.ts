import { flushCompileCache } from 'node:module';
import { isatty } from 'node:tty';
import { stripVTControlCharacters } from 'node:util';
import { tolerateClosedOutput } from '@miftah/schema/closed-output';
import closeWithGrace from 'close-with-grace';
import { stopNote, warningNotes } from './program/banner.ts';
import { describeConfig } from './config/describe.ts';
import { usage, type Help } from './config/source/flags.ts';
import {
  ConfigError,
  loadConfig,
  takeDescriptors,
  type Config,
  type Loaded,
  type Values,
} from './config/config.ts';
import { releaseMemoryAfterStart } from './platform/release-memory.ts';
import { listenWhileStarting, type StartSignals } from './platform/start-signals.ts';
import { watchTerminal } from './platform/terminal.ts';
import {
  findFreePort,
  openProgram,
  openStandardOutput,
  prepareStart,
  wordsOf,
  type Parts,
  type Program,
  type Stop,
} from './program/program.ts';

/**
 * A Ctrl-C can come twice: from the terminal, and from a program such as npm that passes it on. A
 * signal after this time is a second one.
 */
const SAME_SIGNAL_MS = 1000;

const STANDARD_OUTPUT = 1;

/** Exit codes: 0 stopped as asked, 1 could not start or finish its work, 2 wrong settings. */
const EXIT_FAILED = 1;
const EXIT_MISCONFIGURED = 2;

/** How a run differs from that of `npm start`. */
export interface RunOptions {
  /** The command line after the program's name. */
  readonly args?: readonly string[];
  /** Settings that take the place of what is given. */
  readonly fixed?: Values;
  readonly partsOf?: (config: Config) => Partial<Parts>;
  /** What `--help` says of the command, where it is not `npm start`. */
  readonly help?: Help;
  /** What is printed as soon as it listens. */
  readonly announce?: (program: Program, config: Config) => string;
  /** Whether the store is there after the stop. By default it is. */
  readonly keepsData?: boolean;
  /** Of a program that listens since before this module was loaded. */
  readonly startSignals?: StartSignals;
}

/** Runs the service until it is told to stop. */
export async function runService(options: RunOptions = {}): Promise<void> {
  const loaded = readConfig(options);
  if (loaded === null) return;
  await serve(loaded.config.port === 0 ? await withFreePort(loaded, options) : loaded, options);
}

/** Reads the settings again with the port, because `PUBLIC_URL` and others may contain it. */
async function withFreePort({ config }: Loaded, { args, fixed }: RunOptions): Promise<Loaded> {
  const port = await findFreePort(config.host).catch((error: unknown) =>
    stopWith(EXIT_FAILED, error),
  );
  return loadConfig(args, undefined, { ...fixed, PORT: String(port) });
}

function readConfig({ args, fixed, help }: RunOptions): Loaded | null {
  try {
    const loaded = loadConfig(args, undefined, fixed);
    if (loaded.show === null) return loaded;
    tolerateClosedOutput();
    process.stdout.write(`${loaded.show === 'help' ? usage(help) : describeConfig(loaded)}\n`);
    return null;
  } catch (error) {
    return stopWith(EXIT_MISCONFIGURED, error instanceof ConfigError ? error.message : error);
  }
}

async function serve(loaded: Loaded, options: RunOptions): Promise<void> {
  const { config: settings } = loaded;
  const { partsOf, announce, keepsData = true } = options;
  const startSignals = options.startSignals ?? listenWhileStarting();
  const stdout = openStandardOutput();
  try {
    const prepared = await prepareStart(loaded, takeDescriptors());
    const program = await openProgram(settings, {
      logOutput: stdout,
      ...partsOf?.(settings),
      ...prepared,
    });
    stopOnSignals(program);
    if (startSignals.handOver()) void program.reload();
    await program.listen();
    stdout.write(
      announce?.(program, settings) ??
        bannerOf(program, prepared.warnings, stopNote(settings, keepsData)),
    );
    // Otherwise Node writes it at the end, and a program that is killed would leave nothing.
    flushCompileCache();
    releaseMemoryAfterStart();
    await program.broken;
  } catch (error) {
    stopWith(error instanceof ConfigError ? EXIT_MISCONFIGURED : EXIT_FAILED, error);
  }
}

function bannerOf({ banner }: Program, warnings: readonly string[], note: string): string {
  const text = `${banner}${warningNotes(warnings)}${note}`;
  return isatty(STANDARD_OUTPUT) ? text : stripVTControlCharacters(text);
}

/**
 * SIGTERM is how a supervisor stops an instance, and it drains first. Ctrl-C (SIGINT) and a closed
 * terminal (SIGHUP) come from a person, who does not wait for load balancers. A second signal ends
 * the process at once. Any other SIGHUP reads anew what may change.
 */
function stopOnSignals(program: Program): void {
  const { reload, stopLimitMs } = program;
  let first: (Stop & { readonly repeats: AbortSignal }) | null = null;
  const skip = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
  const graceful = closeWithGrace({ delay: stopLimitMs, skip: [...skip] }, async () => {
    await program.close(first ?? {});
  });
  const stop = (signal: NodeJS.Signals, drains = false) => {
    if (first?.repeats.aborted === true) stopWith(EXIT_FAILED, 'it was told to stop twice');
    if (first !== null) return;
    first = { signal, drains, repeats: AbortSignal.timeout(SAME_SIGNAL_MS) };
    graceful.close();
  };
  const isTerminalClosed = watchTerminal();
  process.on('SIGTERM', (signal) => stop(signal, true));
  process.on('SIGINT', (signal) => stop(signal));
  process.on('SIGHUP', (signal) => (isTerminalClosed() ? stop(signal) : void reload()));
}

function stopWith(code: number, reason: unknown): never {
  process.stderr.write(`\nmiftah could not run: ${wordsOf(reason)}\n\n`);
  process.exit(code);
}
