import type { AddCommand } from './command-context.ts';

/** `miftah start` and `miftah dev`: their flags are the settings of the service. */
export const startCommand: AddCommand = (program, context) => {
  program
    .command('start [flags...]')
    .description('runs the service; --help after it lists the settings')
    .allowUnknownOption()
    .helpOption(false)
    .action((flags: readonly string[]) => context.start(flags));
  program
    .command('dev [flags...]')
    .description('runs simulator mode with a store of its own, which is deleted at the end')
    .option('--json', 'print the address as one line of JSON, and the log on standard error')
    .allowUnknownOption()
    .helpOption(false)
    .action((flags: readonly string[], { json = false }: { json?: boolean }) =>
      context.develop(flags, json),
    );
};
