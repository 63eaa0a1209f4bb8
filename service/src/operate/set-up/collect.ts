import type { CommandContext } from '../../commands/command-context.ts';
import {
  flagOf,
  QUESTIONS,
  refuse,
  type Answers,
  SetUpError,
  type Question,
  type SetUpRequest,
} from '../../commands/init/questions.ts';
import { ConfigError, loadConfig } from '../../config/config.ts';
import { settingLine } from '../../config/describe.ts';
import { SETTINGS } from '../../config/settings.ts';
import { secretIn } from '../../config/source/secret-files.ts';
import { readClients } from '../../platform/files/clients-file.ts';
import { clientsText } from './texts.ts';

type Ask = CommandContext['ask'];

/**
 * The answers to all questions: of the flags, of a person where there is one, and the usual ones.
 * @param defaults usual answers that follow from the place
 * @param ask null: nobody is there to answer
 * @throws SetUpError with all that is missing or can't be used; where a person is to answer, with what is
 *   wrong with the flags, before the first question
 */
export async function collect(
  { flags, isRehearsal }: Pick<SetUpRequest, 'flags' | 'isRehearsal'>,
  defaults: Answers,
  ask: Ask | null,
): Promise<Answers> {
  const answers: Record<string, string> = {};
  const faults: string[] = [];
  for (const question of QUESTIONS) {
    const { name, isSecret = false } = question;
    const given = flags[name];
    if (given === undefined) continue;
    answers[name] = '';
    try {
      const text = isSecret ? secretIn(flagOf(question), given) : given;
      const fault = faultOf(name, text);
      if (fault === null) answers[name] = text;
      else faults.push(`${flagOf(question)} ${fault}`);
    } catch (error) {
      faults.push(messageOf(error));
    }
  }
  // Nobody answers all questions for a command that is refused anyway.
  if (ask !== null) refuse(faults);
  for (const question of QUESTIONS.filter(({ name }) => !Object.hasOwn(answers, name))) {
    const { name, usual, rehearsed = usual, offer, isFlagOnly } = question;
    const textOf = (one: Question['usual']) => (typeof one === 'function' ? one(answers) : one);
    const otherwise = textOf(defaults[name] ?? (isRehearsal ? rehearsed : usual));
    if (ask !== null && !isRehearsal && isFlagOnly !== true) {
      answers[name] = await fromPerson(question, otherwise ?? textOf(offer) ?? null, ask);
    } else if (otherwise === undefined) {
      faults.push(`${flagOf(question)} is needed: ${question.about}`);
    } else answers[name] = otherwise;
  }
  refuse(faults);
  return answers;
}

/**
 * Asks until the answer can be used.
 * @param otherwise what Enter alone stands for; null: an answer is needed
 * @throws SetUpError when the input ends before
 */
async function fromPerson(
  { name, about, isSecret: isHidden = false }: Question,
  otherwise: string | null,
  ask: Ask,
): Promise<string> {
  const hints = [
    ...(otherwise === null ? [] : [`Enter for ${otherwise === '' ? 'none' : otherwise}`]),
    ...(isHidden ? ['it is not shown'] : []),
  ];
  const hint = hints.length === 0 ? '' : `\n(${hints.join('; ')})`;
  let question = `${about.charAt(0).toUpperCase()}${about.slice(1)}${hint}`;
  for (let isAgain = false; ; isAgain = true) {
    const line = await ask(question, { isHidden, isAgain });
    if (line === null) throw new SetUpError(['the input ended before all questions were answered']);
    const answer = line.trim() || (otherwise ?? '');
    if (answer === '' && otherwise === '') return '';
    const fault = answer === '' ? 'is needed' : faultOf(name, answer);
    if (fault === null) return answer;
    question = `That can't be used: ${sentenceOf(fault)}.`;
  }
}

/** A fault without its subject, such as `must be https`, is about the answer. */
const sentenceOf = (fault: string) => (/^(?:is|has|must) /.test(fault) ? `it ${fault}` : fault);

/** Settings of which one alone is looked at, so that others are not missing. */
const COMPLETE: Answers = {
  PUBLIC_URL: 'https://login.example.com',
  PROVIDER_URL: 'https://provider.example.com',
  PROVIDER_PATH_PREFIX: '/',
  PROVIDER_APP_ID: 'id',
  PROVIDER_APP_KEY: 'key',
  PROVIDER_ISSUER: 'https://provider.example.com',
  PROVIDER_AUDIENCE: 'https://login.example.com',
  PROVIDER_AUTHORIZE_ORIGIN: 'https://provider.example.com',
  'client.id': 'app',
  'client.name-en': 'App',
  'client.name-ar': 'تطبيق',
  'client.return-address': 'https://app.example.com/',
  'client.type': 'confidential',
};

const ANY_KEY = '0'.repeat(64);

/** Why one answer can't be used, without the name of its setting; null when it can. */
function faultOf(name: string, text: string): string | null {
  const [fault] = allFaults({ ...COMPLETE, [name]: text }, false, ANY_KEY);
  if (fault === undefined) return null;
  return fault.replace(new RegExp(`^${name}:? `), '');
}

/**
 * Everything that would keep the service from starting with these answers, as its start reads them.
 * @param secretKey 32 bytes in hex
 */
export function allFaults(answers: Answers, isRehearsal: boolean, secretKey: string): string[] {
  const settings = Object.entries(answers).filter(([name]) => !name.includes('.'));
  const environment = {
    ...Object.fromEntries(settings),
    PROVIDER: 'live',
    SECRET_KEY: secretKey,
    CLIENTS_FILE: 'clients.json',
    ...(isRehearsal ? { ALLOW_SIMULATOR: 'yes' } : {}),
  };
  return [
    ...formFaults(answers),
    ...faultsIn(() => loadConfig([], environment)),
    ...clientFaults(answers),
  ];
}

/** Where nothing has no meaning. An empty path would be the folder from which the command is called. */
const NEVER_EMPTY = new Set(['HOST', 'PORT', 'DATA_DIR', 'AUDIT_HEAD_FILE']);

/** A start takes 0 for any free port. Nothing that is set up for this one could find it then. */
const PORT_ZERO =
  'PORT must be the same at each start, and 0 is a free port, another one each time: ' +
  'name one from 1 to 65535, or leave the flag out for 3000';

/** What no file can hold, and no terminal should show. A secret is alone in its file. */
function formFaults(answers: Answers): string[] {
  return Object.entries(answers)
    .filter(([name]) => !Object.hasOwn(SETTINGS, `${name}_FILE`))
    .flatMap(([name, text]) => {
      if (NEVER_EMPTY.has(name) && text.trim() === '') {
        return [`${name} is empty: give it a value, or leave the flag out for the usual one`];
      }
      if (/\p{Cc}/u.test(text)) return [`${name} must have no control characters`];
      if (name === 'PORT' && /^0+$/.test(text)) return [PORT_ZERO];
      const isHeld = name.includes('.') || settingLine(name, text) !== null;
      return isHeld ? [] : [`${name} has quotation marks of every kind: use fewer`];
    });
}

function clientFaults(answers: Answers): string[] {
  const text = clientsText(answers, `mfk_${ANY_KEY}`);
  const content: unknown = JSON.parse(text);
  // The flag is named before it, so neither the place nor the member of the file helps.
  return faultsIn(() => readClients(content, 'the first application')).map((fault) =>
    fault.replace(/^clients\[0\] \(.*?\): (?:"\w+(?:\[\d+\])?",? )+(?:of "\w+" )?/u, ''),
  );
}

function faultsIn(read: () => unknown): string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return [...error.faults];
    const message = messageOf(error);
    // Of a clients file: the place, then a line for each fault.
    return message.includes('\n  - ') ? message.split('\n  - ').slice(1) : [message];
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
