import { flushCompileCache } from 'node:module';
import { stripVTControlCharacters } from 'node:util';
import closeWithGrace from 'close-with-grace';
import { stopNote } from './banner.ts';
import { describeConfig } from './config/describe.ts';
import { usage, type Help } from './config/flags.ts';
import { ConfigError, loadConfig, takeDescriptors, type Config, type Values } from './config.ts';
import { releaseMemoryAfterStart } from './platform/release-memory.ts';
import { listenWhileStarting, type StartSignals } from './platform/start-signals.ts';
import { watchTerminal } from './platform/terminal.ts';
import { systemTimer } from './platform/timer.ts';
import { findFreePort, openProgram, type Parts, type Program } from './program.ts';
import { prepareStart } from './program/prepare-start.ts';

/**
 * A Ctrl-C can come twice: from the terminal, and from a program such as npm that passes it on. A
 * signal after this time is a second one.
 */
const SAME_SIGNAL_MS = 1000;

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
  readonly announce?: (program: Program, config: Config, keepsData: boolean) => string;
  /** Whether the store is there after the stop. By default it is. */
  readonly keepsData?: boolean;
  /** Of a program that listens since before this module was loaded. */
  readonly startSignals?: StartSignals;
}

/** Runs the service until it is told to stop. */
export async function runService(options: RunOptions = {}): Promise<void> {
  const config = readConfig(options);
  if (config === null) return;
  await serve(config.port === 0 ? await withFreePort(config, options) : config, options);
}

/** Reads the settings again with the port, because `PUBLIC_URL` and others may contain it. */
async function withFreePort({ host }: Config, { args, fixed }: RunOptions): Promise<Config> {
  const port = await findFreePort(host).catch((error: unknown) => stopWith(EXIT_FAILED, error));
  return loadConfig(args, undefined, { ...fixed, PORT: String(port) }).config;
}

function readConfig({ args, fixed, help }: RunOptions): Config | null {
  try {
    const loaded = loadConfig(args, undefined, fixed);
    if (loaded.show === null) return loaded.config;
    process.stdout.write(`${loaded.show === 'help' ? usage(help) : describeConfig(loaded)}\n`);
    return null;
  } catch (error) {
    return stopWith(EXIT_MISCONFIGURED, error instanceof ConfigError ? error.message : error);
  }
}

async function serve(settings: Config, options: RunOptions): Promise<void> {
  const { partsOf, announce = bannerOf, keepsData = true } = options;
  const startSignals = options.startSignals ?? listenWhileStarting();
  try {
    const program = await openProgram(settings, {
      ...partsOf?.(settings),
      sockets: await prepareStart(settings, takeDescriptors(), systemTimer),
    });
    stopOnSignals(program);
    if (startSignals.handOver()) void program.reload();
    await program.listen();
    process.stdout.write(announce(program, settings, keepsData));
    // Otherwise Node writes it at the end, and a program that is killed would leave nothing.
    flushCompileCache();
    releaseMemoryAfterStart();
    await program.broken;
  } catch (error) {
    stopWith(error instanceof ConfigError ? EXIT_MISCONFIGURED : EXIT_FAILED, error);
  }
}

function bannerOf({ banner }: Program, config: Config, keepsData: boolean): string {
  const text = `${banner}${stopNote(config, keepsData)}`;
  return process.stdout.isTTY ? text : stripVTControlCharacters(text);
}

/**
 * SIGTERM is how a supervisor stops an instance, and it drains first. Ctrl-C (SIGINT) and a closed
 * terminal (SIGHUP) come from a person, who does not wait for load balancers. A second signal ends
 * the process at once. Any other SIGHUP reads the clients anew.
 */
function stopOnSignals(program: Program): void {
  const { reload, stopLimitMs } = program;
  let first: { readonly drains: boolean; readonly repeats: AbortSignal } | null = null;
  const skip = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
  const graceful = closeWithGrace({ delay: stopLimitMs, skip: [...skip] }, async () => {
    await program.close({ drains: first?.drains ?? false });
  });
  const stop = ({ drains }: { readonly drains: boolean }) => {
    if (first?.repeats.aborted === true) stopWith(EXIT_FAILED, 'it was told to stop twice');
    if (first !== null) return;
    first = { drains, repeats: AbortSignal.timeout(SAME_SIGNAL_MS) };
    graceful.close();
  };
  const isTerminalClosed = watchTerminal();
  process.on('SIGTERM', () => stop({ drains: true }));
  process.on('SIGINT', () => stop({ drains: false }));
  process.on('SIGHUP', () => (isTerminalClosed() ? stop({ drains: false }) : void reload()));
}

function stopWith(code: number, reason: unknown): never {
  const said = reason instanceof Error ? reason.message : String(reason);
  process.stderr.write(`\nmiftah could not run: ${said}\n\n`);
  process.exit(code);
}
