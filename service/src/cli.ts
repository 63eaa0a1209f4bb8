import { fstatSync, statSync, writeFileSync } from 'node:fs';
import { Argument, Command, CommanderError } from 'commander';
import { tolerateClosedOutput } from '@miftah/schema/closed-output';
import packageFile from '../package.json' with { type: 'json' };
import type { CommandContext } from './commands/command-context.ts';
import {
  addDriveCommands,
  DriveFailure,
  linesWithoutControls,
  misused,
  type DriveContext,
} from './commands/drive/index.ts';
import { isJsonAskedOf, messageOf, misuseOf, withHelpAsked } from './commands/instance/errors.ts';
import { addOperatorCommands } from './commands/index.ts';
import { wordsOf } from './errors/fault-words.ts';
import type { Environment } from './config/instance.ts';
import { createRandom } from './platform/runtime.ts';
import { listenWhileStarting } from './platform/start-signals.ts';
import { driveContext } from './commands/terminal/drive.ts';
import { openTerminal } from './commands/terminal/terminal.ts';
import type { OperatorParts } from './program/operator.ts';

/** Exit codes of all commands; those that drive an instance have more (commands/instance/failure.ts). */
const EXIT_DONE = 0;
const EXIT_FAILED = 1;
const EXIT_MISUSED = 2;

/**
 * `npx miftah`: the commands that drive a running instance over HTTP, and those of an operator,
 * which open the service's database from this second process.
 */
export async function runCommand(args: readonly string[], environment: Environment): Promise<void> {
  leaveReader = tolerateClosedOutput();
  const terminal = openTerminal();
  try {
    const code = await run(args, driveContext(environment, terminal, peopleFile));
    if (code !== EXIT_DONE) process.exitCode = code;
  } finally {
    terminal.close();
  }
}

const GENERATION = { whoNeeds: 'miftah people generate', instead: '' };

const peopleFile: DriveContext['peopleFile'] = async (options) => {
  const { orMissing } = await import('./simulate/hosted/optional-simulator.ts');
  const simulator = await orMissing(import('@miftah/simulator/population'), GENERATION);
  return simulator.peopleFile(options);
};

let leaveReader = (): void => undefined;

/** @returns the exit code */
export async function run(args: readonly string[], context: DriveContext): Promise<number> {
  let code = EXIT_DONE;
  const fail: Fail = (line, exitCode = EXIT_FAILED) => {
    context.err.write(`${line}\n`);
    code = exitCode;
  };
  try {
    const program = programOf(context, args, fail);
    if (asksLibrary(args)) {
      const { complete } = await import('./commands/drive/complete.ts');
      await complete(program, context, args);
      return code;
    }
    describeCompletion(program);
    await program.parseAsync(withHelpAsked(program, args), { from: 'user' });
    return code;
  } catch (error) {
    // Commander has already printed its message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_DONE : EXIT_MISUSED;
    context.err.write(
      error instanceof DriveFailure
        ? messageOf(error, isJsonAskedOf(args))
        : // Never a stack: whoever runs a command did not write it.
          `miftah: ${linesWithoutControls(wordsOf(error))}\n`,
    );
    return exitCodeOf(error);
  }
}

type Fail = CommandContext['fail'];

function programOf(context: DriveContext, args: readonly string[], fail: Fail): Command {
  const { out, err } = context;
  const miftah: Command = new Command('miftah')
    .description('Drives a running instance of Miftah, and looks after a service.')
    .option('--config <file>', 'for a service: a file of NAME=value lines, beside the environment')
    .version(packageFile.version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void out.write(text),
      writeErr: (text) => void err.write(text),
      getOutHelpWidth: () => out.columns ?? HELP_COLUMNS,
      getErrHelpWidth: () => err.columns ?? HELP_COLUMNS,
      // The message may repeat an argument.
      outputError: (text, write) => write(misuseOf(text, miftah, args)),
    });
  miftah.commandsGroup('Drive a running instance (MIFTAH_URL, --url):');
  addDriveCommands(miftah, context);
  miftah.commandsGroup('Run and look after a service (with its settings and its database):');
  const configFile = () => miftah.opts<{ config?: string }>().config;
  const misuse = (line: string) =>
    fail(messageOf(misused(line), isJsonAskedOf(args)).trimEnd(), EXIT_MISUSED);
  addOperatorCommands(miftah, operatorContext(context, { fail, misuse }, configFile));
  return miftah;
}

const COMPLETE = 'complete';
/** The library knows more shells, whose scripts are tried by no test. */
const SHELLS = ['bash', 'zsh', 'fish'];

/** `miftah complete SHELL`, or what the script of a shell asks. */
function asksLibrary([command, shell = '', ...others]: readonly string[]): boolean {
  if (command !== COMPLETE) return false;
  return shell === '--' || (others.length === 0 && SHELLS.includes(shell));
}

/** For `--help` and wrong arguments. The library is loaded for the command alone, and adds it. */
function describeCompletion(program: Command): void {
  program
    .command(COMPLETE)
    .addArgument(new Argument('<shell>', 'which').choices(SHELLS))
    .helpGroup('Commands:')
    .description('prints a completion script for bash, zsh or fish');
}

const HELP_COLUMNS = 80;

/**
 * What the operator's commands work with. The service and its store are loaded when one of them
 * runs: they take most of the time of a start.
 */
function operatorContext(
  { out, err, environment, ask, isInteractive }: DriveContext,
  { fail, misuse }: Pick<CommandContext, 'fail' | 'misuse'>,
  configFile: () => string | undefined,
): CommandContext {
  const tell = (line: string) => void err.write(`${line}\n`);
  let loaded: Promise<OperatorParts> | null = null;
  const parts = () =>
    (loaded ??= import('./program/operator.ts').then(({ operatorParts }) =>
      operatorParts({ configFile, environment, tell }),
    ));
  return {
    random: createRandom(),
    print: (line) => void out.write(`${line}\n`),
    deliver: (text) => deliver(out, text),
    isAppending: () => out === process.stdout && isFile() && fstatSync(process.stdout.fd).size > 0,
    fail,
    misuse,
    tell,
    ask,
    isInteractive,
    runner: environment['npm_lifecycle_event'] === undefined ? '' : 'npx ',
    setUp: async (...given) => (await import('./operate/set-up/set-up.ts')).setUp(...given),
    start: (flags) => start(withConfig(configFile(), flags)),
    develop: async (flags, isJson) =>
      (await import('./develop.ts')).develop({ args: withConfig(configFile(), flags), isJson }),
    withStore: async (...given) => (await parts()).withStore(...given),
    withLog: async (...given) => (await parts()).withLog(...given),
    cursorFile: async (...given) => (await parts()).cursorFile(...given),
    pause: async (...given) => (await parts()).pause(...given),
    exportUser: async (...given) => (await parts()).exportUser(...given),
    editClients: async (...given) => (await parts()).editClients(...given),
    isClient: async (id) => (await parts()).isClient(id),
    clients: async (file) => (await parts()).clients(file),
    receivers: async () => (await parts()).receivers(),
    operatorLink: async (...given) => (await parts()).operatorLink(...given),
    writersWithOtherKey: async () => (await parts()).writersWithOtherKey(),
    recordsCalls: async () => (await parts()).recordsCalls(),
    newSigningKeys: async () => (await parts()).newSigningKeys(),
    revokeAll: async (...given) => (await parts()).revokeAll(...given),
    eraseUser: async (...given) => (await parts()).eraseUser(...given),
    compact: async () => (await parts()).compact(),
    withLostStore: async (...given) => (await parts()).withLostStore(...given),
    migrate: async () => (await parts()).migrate(),
    backUp: async (...given) => (await parts()).backUp(...given),
    keepBackup: async (...given) => (await parts()).keepBackup(...given),
    restore: async (...given) => (await parts()).restore(...given),
    endRestored: async (...given) => (await parts()).endRestored(...given),
    move: async (to) => (await parts()).move(to),
    examine: async () => (await parts()).examine(),
    compare: async (...given) => (await parts()).compare(...given),
    storePlace: async () => (await parts()).storePlace(),
    headFile: async () => (await parts()).headFile(),
  };
}

async function start(flags: readonly string[]): Promise<void> {
  const startSignals = listenWhileStarting();
  const { startByCommand } = await import('./start-by-command.ts');
  await startByCommand(flags, startSignals);
}

/** Commander keeps `--config` from the flags of the service, wherever it stands. */
function withConfig(file: string | undefined, flags: readonly string[]): readonly string[] {
  return file === undefined ? flags : ['--config', file, ...flags];
}

async function deliver(out: DriveContext['out'], text: string): Promise<void> {
  if (out === process.stdout && isNowhere()) {
    throw new Error('nobody reads the output (it is closed, or /dev/null), and this is shown once');
  }
  // A reader that has closed the output has not read this.
  leaveReader();
  if (out === process.stdout && isFile()) return writeAll(text);
  await new Promise<void>((resolve, reject) => {
    process.stdout.once('error', reject);
    out.write(text, (error) => {
      if (error instanceof Error) return reject(error);
      process.stdout.off('error', reject);
      resolve();
    });
  });
}

function exitCodeOf(error: unknown): number {
  if (error instanceof DriveFailure) return error.exitCode;
  // Their classes are in modules that the other commands do not load.
  const isMisused = error instanceof Error && /^(?:Config|SetUp)Error$/.test(error.name);
  return isMisused ? EXIT_MISUSED : EXIT_FAILED;
}

/** Whether standard output is a file. */
const isFile = () => fstatSync(process.stdout.fd).isFile();

/** Whether nobody gets to know what is written. Node opens /dev/null in the place of a closed output. */
function isNowhere(): boolean {
  if (process.platform === 'win32') return false;
  const output = fstatSync(process.stdout.fd);
  return output.isCharacterDevice() && output.rdev === statSync('/dev/null').rdev;
}

/** Node takes a part that a file has taken, such as on a full disk, for the whole. @throws Error */
function writeAll(text: string): void {
  writeFileSync(process.stdout.fd, Buffer.from(text));
}
