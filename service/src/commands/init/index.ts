import type { Command } from 'commander';
import type { AddCommand, CommandContext } from '../command-context.ts';
import { collect, type Ask } from './collect.ts';
import { flagOf, QUESTIONS, type Question } from './questions.ts';
import type { Answers, SetUpResult } from './set-up.ts';

interface Options extends Readonly<Record<string, unknown>> {
  readonly dir?: string;
  readonly root: string;
  readonly rehearse?: boolean;
  readonly systemd?: boolean;
  readonly yes?: boolean;
}

/** `miftah init`: asks what a first start needs, and writes it. */
export const initCommand: AddCommand = (program, context) => {
  const command = program
    .command('init')
    .description('sets a service up: asks, or takes flags, and writes settings, keys and clients')
    .option('--dir <folder>', 'where the settings are written (/etc/miftah)')
    .option('--rehearse', 'live mode against the simulator, with invented people')
    .option('--systemd', 'also writes the unit, the user and the folders for systemd')
    .option('--root <folder>', 'writes below this folder, which becomes / later', '/')
    .option('--yes', 'asks nothing: flags and defaults only');
  for (const question of QUESTIONS) {
    command.option(`${flagOf(question)} <${valueOf(question)}>`, helpOf(question));
  }
  command.action((options: Options) => setUp(options, command, context));
};

const valueOf = ({ isSecret = false }: Question) => (isSecret ? 'file' : 'value');

function helpOf({ about, isSecret = false }: Question): string {
  const text = about.charAt(0).toLowerCase() + about.slice(1).replace(/\.$/, '');
  return isSecret ? `file that holds it: ${text}` : text;
}

async function setUp(options: Options, command: Command, context: CommandContext): Promise<void> {
  const { rehearse = false, systemd = false, yes = false, root } = options;
  const { setUp: tools } = context;
  const dir = options.dir ?? (await tools.usualDir(rehearse));
  const place = { isRehearsal: rehearse, hasUnit: systemd, dir, root };
  const defaults = await tools.begin(place);
  const isAsked = context.isInteractive && !yes;
  if (isAsked) context.tell(introduction(place.isRehearsal));
  const ask: Ask = (question, isHidden, isAgain) => context.ask(question, { isHidden, isAgain });
  const given = { isRehearsal: rehearse, flags: flagsIn(command), defaults };
  const { readSecret } = tools;
  const faultOf = (name: string, text: string) => tools.faultOf(name, text, place);
  const answers = await collect(given, { faultOf, readSecret }, isAsked ? ask : null);
  await tools.write(place, answers, (result) => show(result, answers, context));
}

/** What the flags of questions say, by the names of the questions. */
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

const introduction = (isRehearsal: boolean) =>
  `This sets up ${isRehearsal ? 'a rehearsal of live mode' : 'live mode'}. ` +
  'Nothing is written before the last answer; Ctrl-C ends it.';

/** @throws Error that says how to get another key, where this one could not be printed */
async function show(
  result: SetUpResult,
  answers: Answers,
  { deliver }: CommandContext,
): Promise<void> {
  const application = answers['client.id'] ?? '';
  const key = [
    `The key of the application ${application}, which is stored nowhere:`,
    `  ${result.clientKey}`,
    'Give it to the application now, as a secret. `miftah client key` makes another one.',
  ];
  const [files, next] = [filesOf(result), nextOf(result)];
  try {
    await deliver(`${[...files, '', ...key, ...next].join('\n')}\n`);
  } catch (error) {
    const lost = lostKey(application, result, error instanceof Error ? error.message : '');
    throw new Error([lost, '', ...files, ...next].join('\n'), { cause: error });
  }
}

function lostKey(application: string, { files }: SetUpResult, reason: string): string {
  const [clients] = files.find(([path]) => path.endsWith('/clients.json')) ?? ['clients.json'];
  return (
    `the set-up is written, but the key of the application ${application} could not be printed ` +
    `(${reason}), and it is stored nowhere. Call \`miftah client key\`, which prints another ` +
    `one: put its hash in the place of the one in "keys" of ${clients}, and give the key to the ` +
    'application.'
  );
}

function filesOf({ files }: SetUpResult): string[] {
  const width = Math.max(...files.map(([path]) => path.length));
  return ['Written:', ...files.map(([path, what]) => `  ${path.padEnd(width)}  ${what}`)];
}

const nextOf = ({ notes, next }: SetUpResult): string[] => [
  ...notes.map((note) => `\n${note}`),
  '\nNext:',
  ...next.map(([line, what]) => `  ${line}\n      ${what}`),
];
