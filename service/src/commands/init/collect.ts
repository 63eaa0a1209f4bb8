import { printable } from '../instance/printable.ts';
import { flagOf, QUESTIONS, type Question } from './questions.ts';
import { refuse, SetUpError, type Answers } from './set-up.ts';

/** `SetUpTools`, for one place. */
export interface AnswerTools {
  readonly faultOf: (name: string, text: string) => Promise<string | null>;
  readonly readSecret: (flag: string, path: string) => Promise<string>;
}

export interface Given {
  readonly isRehearsal: boolean;
  /** What flags have said. Those of secrets name a file. */
  readonly flags: Answers;
  /** Answers that take the place of `otherwise` of a question. */
  readonly defaults: Answers;
}

/** The next line that a person types. `isAgain`: the line before could not be used. */
export type Ask = (question: string, isHidden: boolean, isAgain: boolean) => Promise<string | null>;

/**
 * The answers to all questions: of the flags, of a person where there is one, and the defaults.
 * @param ask null: nobody is there to answer
 * @throws SetUpError with all that is missing or can't be used; where a person is to answer, with
 *   what is wrong with the flags, before the first question
 */
export async function collect(given: Given, tools: AnswerTools, ask: Ask | null): Promise<Answers> {
  const byFlag = await flagAnswers(given.flags, tools);
  // Before the first question: nobody answers all of them for a command that is refused anyway.
  if (ask !== null) refuse([...byFlag.values()].flatMap(faultsIn));
  const answers: Record<string, string> = {};
  const faults: string[] = [];
  for (const question of QUESTIONS) {
    const said =
      byFlag.get(question.name) ?? (await answerOf(question, { ...given, answers }, tools, ask));
    faults.push(...faultsIn(said));
    if ('text' in said) answers[question.name] = said.text;
  }
  refuse(faults);
  return answers;
}

type Said = { readonly text: string } | { readonly fault: string };
type Known = Omit<Given, 'flags'> & { readonly answers: Answers };

const faultsIn = (said: Said) => ('fault' in said ? [said.fault] : []);

/** What the flags have said, by the names of their questions. */
async function flagAnswers(flags: Answers, tools: AnswerTools): Promise<ReadonlyMap<string, Said>> {
  const answers = new Map<string, Said>();
  for (const question of QUESTIONS) {
    const flag = flags[question.name];
    if (flag === undefined) continue;
    const said = await fromFlag(question, flag, tools);
    answers.set(question.name, await checked(question, said, tools));
  }
  return answers;
}

async function answerOf(
  question: Question,
  known: Known,
  tools: AnswerTools,
  ask: Ask | null,
): Promise<Said> {
  const { answers, isRehearsal, defaults } = known;
  const otherwise = defaults[question.name] ?? question.otherwise(answers, isRehearsal);
  if (ask !== null && question.isFlagOnly !== true && !(isRehearsal && otherwise !== null)) {
    return fromPerson(question, otherwise, known, { ...tools, ask });
  }
  if (otherwise !== null) return { text: otherwise };
  return { fault: `${flagOf(question)} is needed: ${question.about}` };
}

async function fromFlag(
  question: Question,
  flag: string,
  { readSecret }: Pick<AnswerTools, 'readSecret'>,
): Promise<Said> {
  if (question.isSecret !== true) return { text: flag };
  try {
    return { text: await readSecret(flagOf(question), flag) };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

async function checked(
  question: Question,
  said: Said,
  { faultOf }: Pick<AnswerTools, 'faultOf'>,
): Promise<Said> {
  if ('fault' in said) return said;
  const fault = await faultOf(question.name, said.text);
  return fault === null ? said : { fault: `${flagOf(question)} ${fault}` };
}

/** Asks until the answer can be used. @throws SetUpError when the input ends before */
async function fromPerson(
  question: Question,
  otherwise: string | null,
  { answers }: Known,
  { ask, faultOf }: Pick<AnswerTools, 'faultOf'> & { readonly ask: Ask },
): Promise<Said> {
  const isHidden = question.isSecret === true;
  const offered = otherwise ?? question.offer?.(answers) ?? '';
  let text = promptOf(question, otherwise, offered);
  for (let isAgain = false; ; isAgain = true) {
    const line = await ask(text, isHidden, isAgain);
    if (line === null) throw new SetUpError(['the input ended before all questions were answered']);
    const answer = line.trim() === '' ? offered : line.trim();
    if (answer === '' && otherwise === '') return { text: '' };
    const fault = answer === '' ? 'is needed' : await faultOf(question.name, answer);
    if (fault === null) return { text: answer };
    text = `That can't be used: ${printable(sentenceOf(fault))}.\n> `;
  }
}

/** A fault without its subject, such as `must be https`, is about the answer. */
const sentenceOf = (fault: string) => (/^(?:is|has|must) /.test(fault) ? `it ${fault}` : fault);

function promptOf(question: Question, otherwise: string | null, offered: string): string {
  const { about, example, isSecret = false } = question;
  const shown = [
    ...(offered === '' ? [] : [`Enter for ${offered}`]),
    ...(offered === '' && otherwise === '' ? ['Enter for none'] : []),
    ...(offered === '' && otherwise === null && example !== undefined
      ? [`such as ${example}`]
      : []),
    ...(isSecret ? ['it is not shown'] : []),
  ];
  return `\n${about}${shown.length === 0 ? '' : `\n(${shown.join('; ')})`}\n> `;
}
