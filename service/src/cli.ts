import { Command, CommanderError } from 'commander';
import packageFile from '../package.json' with { type: 'json' };
import { auditCommand } from './commands/audit.ts';
import { backupCommand, restoreCommand } from './commands/backup.ts';
import { callsCommand } from './commands/calls.ts';
import { clientCommand } from './commands/client.ts';
import { doctorCommand } from './commands/doctor.ts';
import { keysCommand } from './commands/keys.ts';
import type { CommandContext } from './commands/command-context.ts';
import { revokeCommand } from './commands/revoke.ts';
import { startCommand } from './commands/start.ts';
import { userCommand } from './commands/user.ts';
import { ConfigError, loadConfig, npmScript, type Config, type Loaded } from './config.ts';
import { systemClock } from './platform/clock.ts';
import { endWithNpm } from './platform/parent-process.ts';
import { createRandom } from './platform/random.ts';
import type { Ms } from './domain/time.ts';
import type { Store } from './ports/store/index.ts';
import { auditHeadFile } from './program/audit-head.ts';
import { examine } from './program/doctor/examine.ts';
import { migrateCommand } from './commands/migrate.ts';
import { endRestored, restoreStore } from './program/restore.ts';
import { openTerminal } from './program/terminal.ts';
import { eraseUser, exportUser } from './flow/personal-data.ts';
import { backUp, compact } from './store/index.ts';
import {
  migrateDatabase,
  openStoreForCommand,
  openStoreWithoutService,
  requireKeys,
  bindingOf,
} from './program/open-store.ts';
import { serverKeys } from './program/store-needs.ts';

/** Exit codes: 0 done, 1 the command failed or found a problem, 2 wrong arguments or settings. */
const EXIT_FAILED = 1;
const EXIT_MISUSED = 2;

/**
 * Runs one of the operator's commands, while the service runs or not. It opens the service's
 * database from this second process, with the same settings.
 */
export async function runCommand(args: readonly string[]): Promise<void> {
  // A reader of the output may close it early, as `head` does.
  process.stdout.once('error', endQuietly);
  try {
    for (const add of COMMANDS) add(miftah, context);
    await miftah.parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = exitCodeOf(error);
    // Commander has already printed its message.
    if (error instanceof CommanderError) return;
    process.stderr.write(`miftah: ${error instanceof Error ? error.message : String(error)}\n`);
  } finally {
    terminal.close();
  }
}

const miftah = new Command('miftah')
  .description('Looks after a Miftah service, with the settings of the service.')
  .option('--config <file>', 'a file of NAME=value lines, beside the environment')
  .version(packageFile.version)
  .exitOverride();

const COMMANDS = [
  startCommand,
  clientCommand,
  userCommand,
  revokeCommand,
  keysCommand,
  callsCommand,
  auditCommand,
  backupCommand,
  restoreCommand,
  doctorCommand,
  migrateCommand,
];

const START_HELP = {
  usage: 'miftah start [--flag value ...]     or     NAME=value miftah start',
};

const terminal = openTerminal();

/** The store is opened only by commands that need it, and only while they run. */
const context: CommandContext = {
  random: createRandom(),
  // The service is loaded only by the commands that run it.
  start: async (args) => {
    endWithNpm(npmScript());
    const { runService } = await import('./main.ts');
    await runService({ args, help: START_HELP });
  },
  develop: async (args, isJson) => (await import('./develop.ts')).develop({ args, isJson }),
  print: (line) => void process.stdout.write(`${line}\n`),
  fail: (line) => {
    process.stderr.write(`${line}\n`);
    process.exitCode = EXIT_FAILED;
  },
  withStore: async (work) => {
    const config = readConfig();
    const store = await openStoreForCommand(config, createRandom());
    await closing(store, async (now) => {
      await store.bindTo(bindingOf(config), now);
      await requireKeys(store);
      await work(store, now);
    });
  },
  exportUser: (store, user, now) => exportUser(store, serverKeyList(), user, now),
  eraseUser: (store, user, how) => eraseUser(store, serverKeyList(), user, how),
  compact: () => compactStore(readConfig()),
  ask: terminal.ask,
  withLostStore: async (work) => {
    const random = createRandom();
    const { store, alone } = await openStoreWithoutService(readConfig(), random, tell);
    await closing(store, (now) => work(store, now, alone));
  },
  migrate: () => migrateDatabase(readConfig(), createRandom()),
  backUp: (file) => backUp(requireFile(readConfig()).dataDir, file),
  restore: (file) =>
    restoreStore(requireFile(readConfig()), createRandom(), file, systemClock.now()),
  endRestored: (name) =>
    endRestored(readConfig(), { random: createRandom(), name, at: systemClock.now(), tell }),
  examine: () => examine(readSettings, { clock: systemClock, random: createRandom() }),
  dataDir: () => readConfig().dataDir,
  headFile: () => {
    const config = readConfig();
    return auditHeadFile(config, serverKeys(config, createRandom()));
  },
};

/** The current one first. */
function serverKeyList(): readonly Uint8Array[] {
  const { current, retired } = serverKeys(readConfig(), createRandom());
  return [current, ...retired];
}

/** For what is no result: standard output may be read by a program. */
function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

function compactStore({ database, dataDir }: Config): string {
  if (database !== null) {
    return (
      'PostgreSQL keeps deleted rows in its files until they are rewritten: VACUUM FULL of each ' +
      'table does that, and the write-ahead log follows with its next segments.'
    );
  }
  return compact(dataDir)
    ? 'The file of the store was written anew, without the person.'
    : 'The file was written anew. Another program reads the log, which has the person until the ' +
        'service restarts.';
}

function readConfig(): Config {
  return readSettings().config;
}

/** @throws Error where the store is no file of ours */
function requireFile(config: Config): Config {
  if (config.database === null) return config;
  throw new Error(
    'with DATABASE_URL the store is in PostgreSQL: use its own tools, pg_dump and pg_restore, and ' +
      'after them `miftah restore --database NAME`',
  );
}

function readSettings(): Loaded {
  const { config: file } = miftah.opts<{ config?: string }>();
  return loadConfig(file === undefined ? [] : ['--config', file]);
}

async function closing(store: Store, work: (now: Ms) => Promise<void>): Promise<void> {
  try {
    await work(systemClock.now());
  } finally {
    await store.close();
  }
}

function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_MISUSED;
  return error instanceof ConfigError ? EXIT_MISUSED : EXIT_FAILED;
}
