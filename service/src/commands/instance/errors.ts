import type { Command } from 'commander';
import { nearestOf } from '@miftah/schema/nearest';
import { withPageMeant } from '../drive/open.ts';
import { type DriveFailure, misused, withoutNumbers } from './failure.ts';
import { jsonWithoutControls, withoutControls } from './without-controls.ts';

/** What a command that has failed prints on standard error. */

/** What is asked for with `--json`: one object a line, for programs. */
interface ErrorObject {
  readonly code: string;
  readonly detail: string;
  readonly remedy?: string | undefined;
  readonly facts?: readonly string[];
  readonly request_id?: string | undefined;
}

export function messageOf(error: DriveFailure, isJson: boolean): string {
  const { code, message, remedy, facts, requestId } = error;
  if (isJson) return jsonOf({ code, detail: message, remedy, facts, request_id: requestId });
  const lines = [
    `miftah: ${code}: ${message}`,
    ...(remedy === undefined ? [] : [`  ${remedy}`]),
    ...facts.map((fact) => `  ${fact}`),
    ...(requestId === undefined ? [] : [`  request ${requestId}`]),
  ];
  // All of them may be words of the instance.
  return lines.map((line) => `${withoutNumbers(withoutControls(line))}\n`).join('');
}

/**
 * What is said of arguments that the library does not take.
 * @param text what the library says @param program with its commands @param args what was typed
 */
export function misuseOf(text: string, program: Command, args: readonly string[]): string {
  const command = commandIn(program, args);
  const said = withNextStep(
    withoutJargon(withPageMeant(unknownFirst(text, command, args))),
    command,
  );
  if (!isJsonAskedOf(args)) return withoutNumbers(said);
  const [detail = '', ...hints] = said.trim().split('\n');
  const remedy = hints.join(' ').replace(/^\((.*)\)$/, '$1');
  return jsonOf({
    code: misused('').code,
    detail: detail.replace(/^error: /, ''),
    remedy: remedy === '' ? undefined : remedy,
  });
}

/**
 * `help NAME` is `NAME --help`. Of what is no command it leaves the name alone, of which the library
 * says so: with either it would print all of its help.
 */
export function withHelpAsked(program: Command, args: readonly string[]): readonly string[] {
  const isHelp = args[0] === 'help';
  const end = args.findIndex((word) => word === '--help' || word === '-h');
  const words = isHelp ? args.slice(1) : args.slice(0, Math.max(end, 0));
  let command = program;
  let isValue = false;
  for (const [place, word] of words.entries()) {
    const { commands, options } = command;
    const next = isValue ? undefined : commands.find((one) => one.name() === word);
    if (next === undefined && !isValue && commands.length > 0 && !word.startsWith('-')) {
      return words.slice(0, place + 1);
    }
    // Such as the file of `--config`, which `miftah-admin` writes before every command.
    isValue =
      !isValue &&
      options.some((option) => option.required && [option.long, option.short].includes(word));
    command = next ?? command;
  }
  return isHelp && words.length > 0 ? [...words, '--help'] : args;
}

export const isJsonAskedOf = (args: readonly string[]): boolean => args.includes('--json');

function jsonOf({ facts = [], ...error }: ErrorObject): string {
  const shown = { ...error, ...(facts.length === 0 ? {} : { facts }) };
  // Before it is JSON, where digits of an escaped character may stand before those of a number.
  const named = JSON.stringify(shown, (_, value: unknown) =>
    typeof value === 'string' ? withoutNumbers(value) : value,
  );
  return `${jsonWithoutControls(JSON.parse(named))}\n`;
}

/** The command that is meant: the last one of those that lead to each other. */
function commandIn(program: Command, args: readonly string[]): Command {
  let command = program;
  for (const word of args) {
    command = command.commands.find((one) => one.name() === word) ?? command;
  }
  return command;
}

/**
 * The library misses an option that is required before it looks at one that it does not know, such as
 * the same one with another letter.
 */
function unknownFirst(text: string, command: Command, args: readonly string[]): string {
  if (!text.startsWith('error: required option ')) return text;
  const options = longOptionsOf(command);
  const unknown = args
    .map((word) => word.split('=')[0] ?? '')
    .find((word) => word.startsWith('--') && nearestOf(word, options) !== undefined);
  return unknown === undefined ? text : `error: unknown option '${unknown}'\n`;
}

const longOptionsOf = ({ options }: Command) =>
  options.flatMap(({ long }) => (typeof long === 'string' ? [long] : []));

const ATTEMPTS = '`miftah attempts` lists them';

/** Where an argument is to be had from, by its name, or by the group of its command and its name. */
const SOURCES: Readonly<Record<string, string>> = {
  attempt: ATTEMPTS,
  attempt_id: ATTEMPTS,
  'attempt-or-national-id': ATTEMPTS,
  person: '`miftah people` lists them',
  id: 'the answers of the API have it',
  'client id': '`miftah client list` names them',
  duration: 'such as 5m, 90s or 2h',
  receiver: '`miftah webhooks` lists them, such as: miftah webhooks enable RECEIVER',
  file: 'JSON of the form that `miftah people show amal` has, such as: miftah people put layla layla.json',
  shell: 'bash, zsh or fish, such as: miftah complete bash',
};

/** Of commands that can't do without an option. */
const EXAMPLES: Readonly<Record<string, string>> = {
  add:
    "miftah client add shop --name-ar 'متجر' --name-en Shop " +
    '--return-address https://shop.example.com/signed-in',
  drill: 'miftah drill --rate 5',
  generate: 'miftah people generate --count 1000 --out people.json',
  move: 'miftah move --to DATABASE_URL',
};

const HELP = '--help after the command says what it is';

/** In place of the words of the library. */
function withoutJargon(text: string): string {
  return text.replace(
    /^error: command-argument value '([^']*)' is invalid for argument '([\w-]+)'\./,
    "error: There is no $2 '$1'.",
  );
}

function withNextStep(text: string, command: Command): string {
  const hint = hintFor(text, command);
  return hint === null ? text : `${text.split('\n')[0]}\n(${hint})\n`;
}

/** Null where the text of the library has all that can be said. */
function hintFor(text: string, command: Command): string | null {
  const [, written = '', choices = ''] =
    /'([^']*)'(?: is invalid)?\. Allowed choices are ([^\n]*)\.\n$/.exec(text) ?? [];
  const near = nearestOf(written, choices.split(', '));
  if (near !== undefined) return `Did you mean ${near}?`;
  if (text.startsWith('error: required option ')) {
    const example = EXAMPLES[command.name()];
    return example === undefined ? HELP : `Such as: ${example}`;
  }
  const [, option] = /^error: unknown option '([^']+)'/.exec(text) ?? [];
  if (option !== undefined) return optionsOf(command, option);
  const [, word = ''] = /^error: unknown command '([^']*)'\n/.exec(text) ?? [];
  const whole = command.parent === null ? wholeCommands(command, word) : [];
  if (whole.length > 0) return `Did you mean ${whole.join(' or ')}?`;
  const [, unknown] = /^error: unknown command '([^']*)'\n$/.exec(text) ?? [];
  if (unknown !== undefined) return partsOf(command, unknown);
  if (text.startsWith("error: too many arguments for 'login'")) {
    return 'Did you mean --phone, with the national id after it?';
  }
  const name = /^error: missing required argument '([\w-]+)'\n$/.exec(text)?.[1];
  return name === undefined ? null : sourceOf(command, name);
}

/** What `client add` is given is new. */
function sourceOf(command: Command, name: string): string {
  if (command.name() === 'add') return `Such as: ${EXAMPLES['add']}`;
  return SOURCES[`${command.parent?.name() ?? ''} ${name}`] ?? SOURCES[name] ?? HELP;
}

/** The library takes half of the letters for enough. */
function optionsOf(command: Command, unknown: string): string {
  const options = longOptionsOf(command);
  const near = nearestOf(unknown, options);
  return near === undefined
    ? `There are ${['--help', ...options].join(', ')}`
    : `Did you mean ${near}?`;
}

/** Commands of two words whose second one was typed alone. */
function wholeCommands(program: Command, word: string): string[] {
  return program.commands.flatMap((one) =>
    one.commands
      .filter((part) => part.name() === word)
      .map((part) => `\`${one.name()} ${part.name()}\``),
  );
}

function partsOf(command: Command, unknown: string): string {
  if (unknown === 'version') return 'Did you mean --version?';
  if (command.parent === null) return '`miftah --help` lists the commands';
  return `There are ${command.commands.map((one) => one.name()).join(', ')}`;
}
