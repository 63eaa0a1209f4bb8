import type { Command } from 'commander';

/** A command of several parts. One of them, made with `isDefault`, is meant where none is named. */
export function group(program: Command, name: string, description: string): Command {
  return program.command(name).description(description).hook('preSubcommand', refuseUnknown);
}

/** The library takes an unknown part for an argument of the default one. */
function refuseUnknown(command: Command): void {
  const [part = '-'] = command.args;
  const isKnown = command.commands.some((one) => one.name() === part);
  if (isKnown || part.startsWith('-')) return;
  // What the library does where there is no default part. It also says what may be meant.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its types leave this method out
  (command as Command & { unknownCommand(): void }).unknownCommand();
}
