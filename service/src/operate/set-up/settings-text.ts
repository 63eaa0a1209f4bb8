import { QUESTIONS } from '../../commands/init/questions.ts';
import type { Answers } from '../../commands/init/set-up.ts';
import { settingLine } from '../../config/describe.ts';
import { defaultOf, SETTINGS } from '../../config/settings.ts';

interface Line {
  readonly name: string;
  readonly value: string;
  readonly about: string;
}

const HEADING = `# Settings of Miftah. docs/configuration.md explains these and all others.
# "miftah start --config FILE --show-config" shows what is in force.
`;

/**
 * The file of settings: each line with a comment that says what it is. What has its default is left
 * out, and so is what is empty.
 * @param fixed what was not asked
 * @throws Error for a value that no file can hold
 */
export function settingsText(fixed: readonly Line[], answers: Answers): string {
  const asked = QUESTIONS.filter(({ name, isSecret }) => isSecret !== true && isSetting(name));
  const lines = asked.map(({ name, about }) => ({ name, about, value: answers[name] ?? '' }));
  const written = [...fixed, ...lines].filter(
    ({ name, value }) => value !== '' && value !== defaultOf(name),
  );
  return [HEADING, ...written.map((line) => entryOf(line))].join('\n');
}

const isSetting = (name: string) => Object.hasOwn(SETTINGS, name);

function entryOf({ name, value, about }: Line): string {
  const line = settingLine(name, value);
  if (line === null) throw new Error(`${name} has quotation marks of every kind: use fewer`);
  return `# ${about}\n${line}\n`;
}
