import type { Command } from 'commander';
import type { AddCommand } from '../command-context.ts';
import { flagOf, QUESTIONS, SYSTEM_DIR, type Answers, type Question } from './questions.ts';

interface Options {
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
  for (const question of QUESTIONS) {
    command.option(`${flagOf(question)} <${valueOf(question)}>`, helpOf(question));
  }
  command.action(async ({ dir, rehearse = false, yes = false }: Options) => {
    const request = {
      dir: dir ?? (rehearse ? 'rehearsal' : SYSTEM_DIR),
      isRehearsal: rehearse,
      mayAsk: context.isInteractive && !yes,
      flags: flagsIn(command),
    };
    await context.setUp(request, context);
  });
};

const valueOf = ({ isSecret = false }: Question) => (isSecret ? 'file' : 'value');

const helpOf = ({ about, isSecret = false }: Question) =>
  isSecret ? `file that holds it: ${about}` : about;

function flagsIn(command: Command): Answers {
  const said = QUESTIONS.flatMap((question) => {
    const value: unknown = command.getOptionValue(camelCase(flagOf(question).slice(2)));
    return typeof value === 'string' ? [[question.name, value] as const] : [];
  });
  return Object.fromEntries(said);
}

/** As commander names the value of a flag. */
const camelCase = (flag: string) =>
  flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
