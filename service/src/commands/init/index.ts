import { Option } from 'commander';
import type { AddCommand } from '../command-context.ts';
import { flagOf, QUESTIONS, SYSTEM_DIR } from './questions.ts';

interface Options extends Readonly<Record<string, unknown>> {
  readonly dir?: string;
  readonly rehearse?: boolean;
  readonly yes?: boolean;
}

/** `miftah init`: asks what a first start needs, and writes it. */
export const initCommand: AddCommand = (program, context) => {
  const command = program
    .command('init')
    .description('sets a service up: asks, or takes flags, and writes settings, keys and clients')
    .option('--dir <folder>', `where all of it is written (${SYSTEM_DIR})`)
    .option(
      '--rehearse',
      'live mode against the simulator, with invented people (./rehearsal); ports 3000, 4000 and ' +
        '9464, which --public-url, --provider-url and --metrics-port move',
    )
    .option('--yes', 'asks nothing: flags and defaults only');
  const asked = QUESTIONS.map((question) => {
    const { name, about, isSecret = false } = question;
    const [value, help] = isSecret ? ['file', `file that holds it: ${about}`] : ['value', about];
    const option = new Option(`${flagOf(question)} <${value}>`, help);
    command.addOption(option);
    return [name, option.attributeName()] as const;
  });
  command.action(async ({ dir, rehearse = false, yes = false, ...given }: Options) => {
    const flags = asked.flatMap(([name, attribute]) => {
      const value = given[attribute];
      return typeof value === 'string' ? [[name, value] as const] : [];
    });
    const request = {
      dir: dir ?? (rehearse ? 'rehearsal' : SYSTEM_DIR),
      isRehearsal: rehearse,
      mayAsk: context.isInteractive && !yes,
      flags: Object.fromEntries(flags),
    };
    await context.setUp(request, context);
  });
};
