import type { Command, CommandOptions } from 'commander';
import type { InstanceSettings } from '../../config/instance.ts';
import { controlOf, type Control } from './control.ts';
import type { DriveContext } from './drive-context.ts';
import { misused } from './failure.ts';
import { withoutControls, jsonWithoutControls } from './without-controls.ts';

/** One run of a command against one instance. */
export interface Session {
  readonly context: DriveContext;
  readonly instance: InstanceSettings;
  readonly control: Control;
  /** Whether the result is JSON: asked for, or read by a program. */
  readonly isJson: boolean;
  /** Prints the result: as JSON, or as the text that `shown` makes for a terminal. */
  readonly print: (value: unknown, shown: () => string) => void;
  /** Prints what is no result. */
  readonly note: (line: string) => void;
}

interface CommonOptions {
  readonly url?: string;
  readonly scope?: string;
  readonly json?: true;
}

/** A command that drives an instance, with the options that all of them have. */
export function driveCommand(
  program: Command,
  usage: string,
  description: string,
  options: CommandOptions = {},
): Command {
  return program
    .command(usage, options)
    .description(description)
    .option('--url <address>', 'of the instance (MIFTAH_URL, by default http://127.0.0.1:3000)')
    .option('--scope <name>', 'a scope of tests that share the instance (MIFTAH_SCOPE)')
    .option('--json', 'print the result as JSON, as it is where no terminal reads it');
}

/** Gives `command` its work. The arguments and options of the command follow the session. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the types of commander's arguments
export function onRun<Args extends unknown[]>(
  command: Command,
  context: DriveContext,
  work: (session: Session, ...args: Args) => Promise<void>,
): void {
  command.action((...args: Args) => work(sessionOf(context, command.opts()), ...args));
}

function sessionOf(context: DriveContext, { url, scope, json }: CommonOptions): Session {
  const instance = instanceOf(context, { url, scope });
  const isJson = json ?? context.out.isTTY !== true;
  const note = (line: string) => void context.err.write(`${withoutControls(line)}\n`);
  for (const name of instance.misspelt) note(name);
  return {
    context,
    instance,
    control: controlOf(instance, context),
    isJson,
    print: (value, shown) =>
      context.out.write(isJson ? `${jsonWithoutControls(value)}\n` : shown()),
    note,
  };
}

function instanceOf(context: DriveContext, flags: Parameters<DriveContext['instance']>[0]) {
  try {
    return context.instance(flags);
  } catch (error) {
    throw misused(error instanceof Error ? error.message : String(error));
  }
}
