import tab from '@bomb.sh/tab/commander';
import type { ControlOperation } from '@miftah/contract/control';
import type { Command } from 'commander';
import { controlOf } from '../instance/control.ts';
import type { DriveContext } from '../instance/drive-context.ts';
import { rowOf, rowsOf, textOf, type Row } from '../instance/rows.ts';

/** Nobody waits longer for a suggestion. */
const LIMIT_MS = 300;
const MOST_VALUES = 200;
const LONGEST_DESCRIPTION = 60;

/** Values that an instance knows. */
interface Source {
  readonly operation: ControlOperation;
  readonly value: string;
  readonly description: (row: Row) => string;
}

const PEOPLE: Source = {
  operation: 'listPeople',
  value: 'id',
  description: (row) => textOf(row, 'about'),
};
const OUTCOMES: Source = {
  operation: 'listOutcomes',
  value: 'key',
  description: (row) => textOf(rowOf(row['title']), 'en'),
};
const PROMPTS: Source = {
  operation: 'listPrompts',
  value: 'request_id',
  description: (row) => textOf(row, 'kind'),
};

/** By the name of an option, and by that of an argument. */
const OPTIONS: Readonly<Record<string, Source>> = { person: PEOPLE, attempt: PROMPTS };
const ARGUMENTS: Readonly<Record<string, Source>> = {
  which: PROMPTS,
  'attempt-or-national-id': PROMPTS,
  attempt: PROMPTS,
  outcome: OUTCOMES,
  person: PEOPLE,
};

type Completed = ReturnType<typeof tab>;
type Suggest = (value: string, description: string) => void;

/**
 * `miftah complete SHELL` prints a script for a shell; `miftah complete -- WORDS` is what the script
 * asks for the last word.
 */
export async function complete(
  program: Command,
  context: DriveContext,
  args: readonly string[],
): Promise<void> {
  const [, shell, ...words] = args;
  const completed = tab(program);
  if (shell === '--') await addValues(completed, context, words);
  if (shell === 'bash') context.out.write(BASH_WITHOUT_LIBRARY);
  await program.parseAsync(args, { from: 'user' });
}

/** What the script takes from the bash-completion package, which not every machine has. */
const BASH_WITHOUT_LIBRARY = `if ! declare -F _get_comp_words_by_ref > /dev/null; then
    _get_comp_words_by_ref() {
        cur=\${COMP_WORDS[COMP_CWORD]}
        prev=\${COMP_WORDS[COMP_CWORD - 1]}
        words=("\${COMP_WORDS[@]}")
        cword=$COMP_CWORD
    }
fi

`;

/** Asks the instance for values only where one of them may be the word that is completed. */
async function addValues(
  { commands }: Completed,
  context: DriveContext,
  words: readonly string[],
): Promise<void> {
  const said = words.filter((word) => !word.startsWith('-')).join(' ');
  const names = [...commands.keys()].filter((name) => `${said} `.includes(`${name} `));
  const command = commands.get(names.toSorted((one, other) => other.length - one.length)[0] ?? '');
  if (command === undefined) return;
  const [last = '', before = ''] = words.toReversed();
  const [, option] = /^--(\w+)/.exec(last.includes('=') ? last : before) ?? [];
  for (const [name, found] of command.options) {
    const source = OPTIONS[name];
    if (name === option && source !== undefined) found.handler = await suggest(source);
  }
  for (const [name, found] of command.arguments) {
    const source = ARGUMENTS[name];
    if (option === undefined && source !== undefined) found.handler = await suggest(source);
  }

  async function suggest(source: Source): Promise<(suggested: Suggest) => void> {
    const values = await valuesOf(source, context, words);
    return (suggested) => {
      for (const [value, description] of values) suggested(value, description);
    };
  }
}

/**
 * The shell gives each value to `compgen -W`, which runs what looks like a command in it. A value
 * that begins with `-` would be read as an option.
 */
const SAFE_VALUE = /^\w[\w-]{0,63}$/;

async function valuesOf(
  { operation, value, description }: Source,
  context: DriveContext,
  words: readonly string[],
): Promise<readonly (readonly [string, string])[]> {
  try {
    const instance = context.instance({ url: flagIn(words, 'url'), scope: flagIn(words, 'scope') });
    const control = controlOf(instance, context);
    const rows = rowsOf(await control.call(operation, { limitMs: LIMIT_MS }));
    return rows
      .map((row): [string, string] => [textOf(row, value), plain(description(row))])
      .filter(([text]) => SAFE_VALUE.test(text))
      .slice(0, MOST_VALUES);
  } catch {
    // A line that is being typed is no place for an error.
    return [];
  }
}

function plain(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N} ,.-]/gu, ' ').slice(0, LONGEST_DESCRIPTION);
}

function flagIn(words: readonly string[], name: string): string | undefined {
  const place = words.indexOf(`--${name}`);
  if (place !== -1) return words[place + 1];
  return words.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);
}
