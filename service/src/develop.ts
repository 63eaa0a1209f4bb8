import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { endWithNpm, endWithParent } from '@miftah/schema/parent-process';
import { ConfigError, loadConfig, npmScript, type Config } from './config/config.ts';
import type { Help } from './config/source/flags.ts';
import { BASE_PATH } from './request/context.ts';
import { runService } from './main.ts';
import { openStandardError } from './operate/log.ts';

export interface DevelopOptions {
  /** Settings as flags, as `npm start` takes them. */
  readonly args: readonly string[];
  /** Prints the address as one line of JSON, and ends with the program that has started it. */
  readonly isJson: boolean;
}

const HELP: Help = {
  usage: 'miftah dev [--json] [--flag value ...]     or     NAME=value miftah dev',
  about: 'Runs simulator mode with a store of its own, which is deleted at the end.',
  switches: [['--json', 'print the address as one line of JSON, and end with the parent process']],
  leavesOut: /^(?:DATA_DIR|DATABASE_URL.*|PROVIDER.*|MINIMUM_ASSURANCE|ALLOW_SIMULATOR)$/,
};

/**
 * Runs simulator mode for a first look or a test: with a new store, which is deleted at the end.
 * @throws ConfigError for settings of a service that keeps something
 */
export async function develop({ args, isJson }: DevelopOptions): Promise<void> {
  requireDevelopment(args);
  const folder = mkdtempSync(join(tmpdir(), 'miftah-dev-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const options = { args, fixed: { DATA_DIR: folder }, help: HELP, keepsData: false };
  if (!isJson) {
    endWithNpm(npmScript());
    return runService(options);
  }
  endWithParent();
  return runService({
    ...options,
    partsOf: () => ({ logOutput: openStandardError() }),
    announce: (_, config) => `${JSON.stringify(addressesOf(config))}\n`,
  });
}

function requireDevelopment(args: readonly string[]): void {
  const { config, given, show } = loadConfig(args);
  // Whoever asks what can be set may have the settings of another command in the environment.
  if (show === 'help') return;
  const faults = [
    ...(config.live === null ? [] : ['`miftah dev` is simulator mode: PROVIDER goes with `start`']),
    ...(['DATA_DIR', 'DATABASE_URL'] as const)
      .filter((name) => given[name] !== undefined)
      .map((name) => `\`miftah dev\` keeps nothing: ${name} goes with \`miftah start\``),
  ];
  if (faults.length > 0) throw new ConfigError(faults);
}

function addressesOf({ publicUrl }: Config) {
  return { url: publicUrl, baseUrl: publicUrl + BASE_PATH, pid: process.pid };
}
