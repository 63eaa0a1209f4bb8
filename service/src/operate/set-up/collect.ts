import type { CommandContext } from '../../commands/command-context.ts';
import {
  flagOf,
  QUESTIONS,
  type Answers,
  type Question,
  type SetUpRequest,
} from '../../commands/init/questions.ts';
import { refuse, SetUpError } from '../../commands/init/set-up-error.ts';
import { secretIn } from '../../config/source/secret-files.ts';
import { faultOf } from './check.ts';

type Ask = CommandContext['ask'];

/**
 * The answers to all questions: of the flags, of a person where there is one, and the usual ones.
 * @param defaults usual answers that follow from the place
 * @param ask null: nobody is there to answer
 * @throws SetUpError with all that is missing or can't be used; where a person is to answer, with
 *   what is wrong with the flags, before the first question
 */
export async function collect(
  { flags, isRehearsal }: Pick<SetUpRequest, 'flags' | 'isRehearsal'>,
  defaults: Answers,
  ask: Ask | null,
): Promise<Answers> {
  const answers: Record<string, string> = {};
  const faults: string[] = [];
  for (const question of QUESTIONS) {
    const flag = flags[question.name];
    if (flag === undefined) continue;
    const said = fromFlag(question, flag);
    if ('fault' in said) faults.push(said.fault);
    answers[question.name] = 'fault' in said ? '' : said.text;
  }
  // Nobody answers all questions for a command that is refused anyway.
  if (ask !== null) refuse(faults);
  for (const question of QUESTIONS.filter(({ name }) => !Object.hasOwn(answers, name))) {
    const { name, usual, rehearsed = usual, offer, isFlagOnly } = question;
    const of = (one: Question['usual']) => (typeof one === 'function' ? one(answers) : one);
    const otherwise = of(defaults[name] ?? (isRehearsal ? rehearsed : usual));
    if (ask !== null && !isRehearsal && isFlagOnly !== true) {
      answers[name] = await fromPerson(question, otherwise ?? of(offer) ?? null, ask);
    } else if (otherwise === undefined) {
      faults.push(`${flagOf(question)} is needed: ${question.about}`);
    } else answers[name] = otherwise;
  }
  refuse(faults);
  return answers;
}

function fromFlag(
  question: Question,
  given: string,
): { readonly text: string } | { readonly fault: string } {
  const flag = flagOf(question);
  try {
    const text = question.isSecret === true ? secretIn(flag, given) : given;
    const fault = faultOf(question.name, text);
    return fault === null ? { text } : { fault: `${flag} ${fault}` };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
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
